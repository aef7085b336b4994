use super::*;

const MOUNTS: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,resv_strict,resuid=65534,resgid=65534
36 27 0:31 /@home /home rw,noatime shared:1 master:2 - btrfs /dev/vdb rw,compress=zstd:3,ssd,discard=async,space_cache=v2,subvolid=257,subvol=/@home
37 27 0:31 /@home/alice /srv/bind rw,nosuid,noatime - btrfs /dev/vdb rw,compress=zstd:3,ssd,discard=async,space_cache=v2,subvolid=257,subvol=/@home
40 27 253:0 / /mnt/a\\040b rw,noatime - xfs /dev/mapper/crypt-alice rw,attr2,inode64,logbufs=8,logbsize=32k,noquota
41 40 0:50 / /mnt/a\\040b rw,relatime - tmpfs tmpfs rw,size=2048k,inode64
50 27 0:60 / /net rw,relatime - nfs4 filer.example.org:/export/alice rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,clientaddr=192.0.2.2,local_lock=none,addr=192.0.2.9
60 27 0:70 / /merged rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/l/AB:/var/lib/docker/l/CD,upperdir=/var/lib/docker/x\\054y/diff,workdir=/var/lib/docker/x/work,uuid=on,metacopy=off
70 27 0:80 / /smb rw,relatime - cifs //server/share rw,vers=3.1.1,sec=ntlmssp,cache=strict,username=alice,domain=EXAMPLE,uid=1000,noforceuid,gid=1000,addr=192.0.2.7,file_mode=0755,rsize=4194304
80 27 0:90 / /ssh rw,nosuid,nodev - fuse.sshfs alice@host:/ rw,user_id=1000,group_id=1000,max_read=65536
90 27 7:0 / /selinux rw,relatime,idmapped - ext4 /dev/loop0 rw,context=\"system_u:object_r:t:s0:c1,c2\",data=ordered,errors=remount-ro,stripe=32
";

/// One of them, by its number.
pub(in crate::measure) fn numbered(id: u64) -> Mount {
    by_id(MOUNTS, id).unwrap()
}

#[test]
fn the_number_of_the_mount_is_read_from_the_descriptor() {
    assert_eq!(
        mount_id("pos:\t0\nflags:\t02100000\nmnt_id:\t27\nino:\t2\n"),
        Some(27)
    );
    assert_eq!(mount_id("pos:\t0\n"), None);
    assert_eq!(mount_id("mnt_id:\tx\n"), None);
    assert_eq!(mount_id(""), None);
}

#[test]
fn bind_mounts_and_mounts_over_mounts_are_told_apart_by_their_number() {
    assert_eq!(numbered(36).options(), ["rw", "noatime"]);
    assert_eq!(numbered(37).options(), ["rw", "nosuid", "noatime"]);
    let (under, over) = (by_id(MOUNTS, 40).unwrap(), by_id(MOUNTS, 41).unwrap());
    assert_eq!((under.kind.as_str(), over.kind.as_str()), ("xfs", "tmpfs"));
    assert_eq!(under.point, over.point);
    assert_eq!(under.point, "/mnt/a b");
    assert_eq!(by_id(MOUNTS, 99), None);
}

#[test]
fn without_a_number_the_last_mount_of_the_device_is_taken() {
    assert_eq!(by_device(MOUNTS, "0:31").unwrap().id, 37);
    assert_eq!(by_device(MOUNTS, "0:99"), None);
}

#[test]
fn the_upper_directory_of_an_overlay_is_found() {
    let overlay = by_id(MOUNTS, 60).unwrap();
    assert_eq!(
        overlay.super_option("upperdir").as_deref(),
        Some("/var/lib/docker/x,y/diff")
    );
    assert_eq!(overlay.super_option("upper"), None);
}

#[test]
fn only_a_mount_that_compresses_says_so() {
    assert!(by_id(MOUNTS, 36).unwrap().compresses());
    assert!(!by_id(MOUNTS, 27).unwrap().compresses());
    let off = MOUNTS.replace("compress=zstd:3", "compress=no");
    assert!(!by_id(&off, 36).unwrap().compresses());
}

#[test]
fn lines_of_another_form_are_passed_over() {
    let odd =
        "\n - \nx y z\n27 1 254:0 / / rw\n1 2 3:4 / / rw - \n5 4 0:5 / /a rw - tmpfs none\n\\ \\9 é\\05 - \n";
    let found: Vec<_> = all(odd).map(|mount| mount.kind).collect();
    assert_eq!(found, ["tmpfs"]);
    assert_eq!(unescaped(r"a\04"), r"a\04");
    assert_eq!(unescaped(r"\134é\"), "\\é\\");
    assert_eq!(by_id("", 1), None);
}

#[test]
fn a_comma_in_quotes_or_after_a_backslash_ends_no_option() {
    assert_eq!(
        split(r#"rw,context="u:t:s0:c1,c2",ro"#),
        ["rw", r#"context="u:t:s0:c1,c2""#, "ro"]
    );
    assert_eq!(split(r"lowerdir=/a\,b:/c,rw"), [r"lowerdir=/a\,b:/c", "rw"]);
}
