package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/windows"
)

// user names this user in the name of a directory. The temporary directory is
// the user's own already.
func user() string { return "cache" }

// userCache is the usual directory for files that the user's programs can make
// again.
func userCache() (string, bool) {
	dir, err := os.UserCacheDir()
	return dir, err == nil
}

// checkLink fails: the owner of a link proves little here, because making a
// link takes different rights from replacing one.
func checkLink(p string, _ fs.FileInfo) error {
	return fmt.Errorf("%s is a link: name the directory itself", p)
}

// checkOwn fails unless the directory p is the user's and private.
func checkOwn(p string, _ fs.FileInfo) error {
	return checkAccess(p, ^windows.ACCESS_MASK(0), "it must be closed to others")
}

// replaces are the rights for replacing entries of a directory, or the
// directory itself.
const replaces windows.ACCESS_MASK = fileDeleteChild | windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL

const fileDeleteChild = 0x40 // FILE_DELETE_CHILD of winnt.h

// checkParent fails if a user besides the system, the administrators and the
// present one can replace entries of directory p.
func checkParent(p string) error {
	return checkAccess(p, replaces, "who could replace what is in it")
}

// checkAccess fails if p belongs to an untrusted user, or grants one any of the
// rights.
func checkAccess(p string, rights windows.ACCESS_MASK, why string) error {
	trusted, err := trustees()
	if err != nil {
		return err
	}
	sd, err := windows.GetNamedSecurityInfo(p, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("%s: %w", p, err)
	}
	isTrusted := func(sid *windows.SID) bool { return slices.ContainsFunc(trusted, sid.Equals) }
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("%s: its owner: %w", p, err)
	}
	if !isTrusted(owner) {
		return fmt.Errorf("%s belongs to %s, %s", p, account(owner), why)
	}
	list, _, err := sd.DACL()
	if err != nil || list == nil {
		return errors.Join(fmt.Errorf("%s has no access list: everybody has every right", p), err)
	}
	for i := range uint32(list.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &ace); err != nil {
			return fmt.Errorf("%s: its access list: %w", p, err)
		}
		if ace.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 || ace.Header.AceType == windows.ACCESS_DENIED_ACE_TYPE {
			continue
		}
		if ace.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE {
			return fmt.Errorf("%s has an access list with an entry of type %d, which this program does not know", p, ace.Header.AceType)
		}
		sid := (*windows.SID)(unsafe.Pointer(&ace.SidStart))
		if got := ace.Mask & rights; got != 0 && !isTrusted(sid) {
			return fmt.Errorf("%s gives %s the rights %#x: %s", p, account(sid), uint32(got), why)
		}
	}
	return nil
}

// trustees are this user and the accounts with access to everything anyway.
func trustees() ([]*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("who runs this: %w", err)
	}
	all := []*windows.SID{user.User.Sid}
	for _, known := range []windows.WELL_KNOWN_SID_TYPE{
		windows.WinLocalSystemSid, windows.WinBuiltinAdministratorsSid,
		windows.WinCreatorOwnerSid, windows.WinCreatorOwnerRightsSid, // stand for the owner
	} {
		sid, err := windows.CreateWellKnownSid(known)
		if err != nil {
			return nil, err
		}
		all = append(all, sid)
	}
	// NT SERVICE\TrustedInstaller owns the system's directories.
	installer, err := windows.StringToSid("S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464")
	if err != nil {
		return nil, err
	}
	return append(all, installer), nil
}

// account is the name of a SID, if known.
func account(sid *windows.SID) string {
	name, domain, _, err := sid.LookupAccount("")
	switch {
	case err != nil:
		return sid.String()
	case domain == "":
		return name
	}
	return domain + `\` + name
}
