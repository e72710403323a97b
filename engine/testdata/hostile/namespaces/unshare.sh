# want: pass
for f in -U -r -n -m -p -i -u -C; do unshare $f true 2>/dev/null && echo BREACH $f; done
nsenter -t 1 -a true 2>/dev/null && echo BREACH nsenter
mount -t tmpfs x /tmp 2>/dev/null && echo BREACH mount
chroot / true 2>/dev/null && echo BREACH chroot
echo held
