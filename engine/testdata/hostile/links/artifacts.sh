# want: pass
ln -s /etc/shadow shadow; ln -s / root; ln -s /proc/1/root host; ln /etc/passwd hard 2>/dev/null
mkdir -p a/b; ln -s ../.. a/b/up; mkfifo pipe; echo held
