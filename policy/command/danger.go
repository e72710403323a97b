package command

import "strings"

// stem returns a program's base name without a version, such as python for python3.12.
func stem(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	return strings.TrimSuffix(strings.TrimRight(strings.TrimSuffix(strings.ToLower(name), ".exe"), "0123456789.-"), ".exe")
}

// wrappers are programs whose arguments are other programs, code or files anywhere, so
// that flags and operands do not bound what they do. A tool policy needs unsafe: true.
var wrappers = func() map[string]string {
	m := map[string]string{}
	for why, names := range map[string]string{
		"a shell runs any command": "sh bash dash zsh ksh mksh ash fish csh tcsh rbash busybox toybox pwsh powershell cmd",
		"the program starts any other program that its arguments name": "env xargs parallel sudo su doas pkexec nohup timeout watch time nice ionice chrt taskset setsid setarch " +
			"stdbuf script scriptreplay expect unbuffer exec eval command builtin source chroot unshare nsenter runuser capsh flock start-stop-daemon systemd-run run-parts " +
			"at batch crontab strace ltrace gdb lldb perf valgrind rlwrap screen tmux entr npx uvx pipx bunx corepack busctl ld.so ld-linux ld-linux-x86-64.so logsave firejail bwrap torify proxychains",
		"the program runs code that its arguments hold":                  "awk gawk mawk nawk perl ruby node nodejs deno bun php lua luajit tclsh wish python pypy jjs jshell julia r rscript irb ghci guile gcc cc clang m4 bc dc sqlite psql mysql jq",
		"the program opens a connection or starts a program at a remote": "ssh scp sftp rsync telnet ftp tftp nc ncat netcat socat wget openssl rclone docker podman nerdctl kubectl helm vagrant ansible ansible-playbook",
		"the program has commands of its own that start programs":        "vi vim view nvim ex ed emacs nano pico less more most man info pg zip tar bsdtar cpio zipinfo rpm dpkg apt apt-get yum dnf apk brew gem cargo yarn pnpm bundle mvn gradle cmake ninja hg svn",
		"the program writes or links files anywhere":                     "dd tee install cp mv ln rm chmod chown mount umount shred truncate split csplit patch",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = why
		}
	}
	return m
}()

// dangers say why a known flag or subcommand is refused: by its name, or by the program
// and its name. The lists of flags decide; these are words for the refusal.
var dangers = map[string]string{
	"-exec": "the action starts a program", "-execdir": "the action starts a program", "-ok": "the action starts a program",
	"-okdir": "the action starts a program", "-delete": "the action deletes files", "-fprint": "the action writes a file",
	"-fprint0": "the action writes a file", "-fprintf": "the action writes a file", "-fls": "the action writes a file",
	"-files0-from": "the names would come from a file that is not checked",
	"git -c":       "a setting of git can name a program to run", "git --config-env": "a setting of git can name a program to run",
	"git --exec-path": "git would run programs of that directory", "git -C": "the paths of the command would not be the workspace's",
	"git --git-dir": "the configuration of another repository can name a program to run", "git --work-tree": "the paths of the command would not be the workspace's",
	"git --paginate": "a pager is a program", "git -p": "a pager is a program",
	"git config": "a setting of git can name a program to run", "git bisect": "git bisect run starts a program", "git rebase": "git rebase -x starts a program",
	"git submodule": "the subcommand starts programs and opens connections", "git filter-branch": "the subcommand starts programs", "git difftool": "the subcommand starts a program",
	"git mergetool": "the subcommand starts a program", "git clone": "the subcommand opens a connection and may start a program", "git fetch": "the subcommand opens a connection and may start a program",
	"git pull": "the subcommand opens a connection and may start a program", "git push": "the subcommand opens a connection and may start a program",
	"git ls-remote": "the subcommand opens a connection and may start a program", "git archive": "git archive can write anywhere and start a program at a remote",
	"git help": "the subcommand starts a viewer", "git daemon": "the subcommand opens the repository to the network", "git worktree": "the subcommand writes outside the workspace",
	"--ext-diff": "the repository can name a program as its diff driver", "--textconv": "the repository can name a program as its text filter", "--output": "the flag writes a file",
	"--no-index": "the flag compares files outside the repository", "--open-files-in-pager": "the flag starts a program", "git grep -O": "the flag starts a program",
	"--upload-pack": "the flag names a program to run", "--receive-pack": "the flag names a program to run", "--exec": "the flag names a program to run",
	"sed -i": "the flag writes files; change a file by its own tool", "sed --in-place": "the flag writes files", "sed -f": "a script in a file is not checked", "sed --file": "a script in a file is not checked",
	"pip install": "installing runs the setup code of packages from the network: put packages into the image", "pip download": "the subcommand opens a connection",
	"pip config": "the subcommand changes where packages come from", "pip uninstall": "the subcommand deletes packages", "pip wheel": "building runs the code of packages", "pip debug": "the subcommand shows the environment",
	"npm install": "installing runs the scripts of packages from the network: put packages into the image", "npm i": "installing runs the scripts of packages from the network: put packages into the image",
	"npm ci": "installing runs the scripts of packages from the network: put packages into the image", "npm exec": "the subcommand runs any program, also from the network",
	"npm x": "the subcommand runs any program, also from the network", "npm config": "a setting of npm can name a program to run", "npm set": "a setting of npm can name a program to run",
	"npm explore": "the subcommand runs any program", "npm init": "the subcommand runs a program from the network", "--script-shell": "the flag names a program to run",
	"-toolexec": "the flag names a program to run", "go test -exec": "the flag names a program to run", "go run -exec": "the flag names a program to run", "-vettool": "the flag names a program to run", "-overlay": "the flag replaces files that are not checked",
	"-ldflags": "the flag can name a linker to run", "-gcflags": "the flag can change how any program is built", "-gccgoflags": "the flag can name a program to run", "-asmflags": "the flag changes how any program is built",
	"-modfile": "the flag replaces the module file", "-modcacherw": "the flag changes the module cache", "-pkgdir": "the flag writes outside the package", "-compiler": "the flag chooses another compiler",
	"go generate": "the subcommand runs the programs that comments name", "go run": "the tool policy does not list run", "go tool": "the subcommand runs any tool of the toolchain",
	"go get": "the subcommand opens a connection", "go install": "the subcommand opens a connection and writes outside the workspace", "go env -w": "the flag changes settings of later commands", "go env -u": "the flag changes settings of later commands",
	"make -e": "the environment would override the Makefile", "make --eval": "the flag holds commands", "make -I": "the flag reads makefiles of another directory", "make -E": "the flag holds commands",
	"curl -K": "a configuration file holds flags that are not checked", "curl --config": "a configuration file holds flags that are not checked", "curl -L": "a redirect can leave the list of hosts",
	"curl --location": "a redirect can leave the list of hosts", "curl -T": "the flag sends a file", "curl --upload-file": "the flag sends a file", "curl -F": "the flag can send files", "curl --form": "the flag can send files",
	"curl -x": "a proxy can go anywhere", "curl --proxy": "a proxy can go anywhere", "curl --unix-socket": "a socket is not a listed host", "curl --resolve": "the flag sends the request to another address",
	"curl --connect-to": "the flag sends the request to another address", "curl -n": "credentials would come from a file", "curl --netrc": "credentials would come from a file", "curl -u": "credentials do not belong on a command line",
	"curl --user": "credentials do not belong on a command line", "curl -w": "a format can come from a file", "curl --write-out": "a format can come from a file", "curl -b": "cookies can come from a file",
	"curl --cookie": "cookies can come from a file", "curl -c": "the flag writes a file", "curl -O": "the URL would name the file", "curl -k": "the server's certificate must be checked", "curl --insecure": "the server's certificate must be checked",
}
