// Package account names the user of this process.
package account

import (
	"os"
	"os/user"
	"strconv"
)

// Name returns the user's name from the system's own list of users, or the number of the
// user as "uid:1000" where the list has no such user. The environment has no say:
// [user.Current] would believe USER.
func Name() string {
	id := os.Getuid()
	if id < 0 { // Windows, where Current asks the process's token
		if u, err := user.Current(); err == nil {
			return u.Username
		}
		return "unknown"
	}
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return u.Username
	}
	return "uid:" + strconv.Itoa(id)
}
