mod bundled_load;
