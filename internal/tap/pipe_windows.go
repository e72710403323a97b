package tap

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Pipe is [os.Pipe], with deadlines on every host. Anonymous pipes on Windows
// have no deadlines, so Pipe makes a named pipe: the name cannot be guessed,
// and only this user may open the pipe, once, in Pipe.
func Pipe() (r, w *os.File, err error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, nil, fmt.Errorf("pipe: %w", err)
	}
	sd, err := windows.SecurityDescriptorFromString("D:P(A;;GA;;;" + user.User.Sid.String() + ")")
	if err != nil {
		return nil, nil, fmt.Errorf("pipe: %w", err)
	}
	sa := windows.SecurityAttributes{SecurityDescriptor: sd}
	sa.Length = uint32(unsafe.Sizeof(sa))
	name, err := windows.UTF16PtrFromString(`\\.\pipe\glovebox-` + rand.Text())
	if err != nil {
		return nil, nil, err
	}
	const size = 64 << 10
	read, err := windows.CreateNamedPipe(name, windows.PIPE_ACCESS_INBOUND|windows.FILE_FLAG_OVERLAPPED|windows.FILE_FLAG_FIRST_PIPE_INSTANCE,
		windows.PIPE_TYPE_BYTE|windows.PIPE_REJECT_REMOTE_CLIENTS, 1, size, size, 0, &sa)
	if err != nil {
		return nil, nil, os.NewSyscallError("CreateNamedPipe", err)
	}
	write, err := windows.CreateFile(name, windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_OVERLAPPED|windows.SECURITY_SQOS_PRESENT|windows.SECURITY_ANONYMOUS, 0)
	if err != nil {
		windows.CloseHandle(read)
		return nil, nil, os.NewSyscallError("CreateFile", err)
	}
	return os.NewFile(uintptr(read), "|0"), os.NewFile(uintptr(write), "|1"), nil
}

var peekNamedPipe = windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")

// readNow reads what is in the pipe: nothing, where it is empty.
func readNow(from *os.File, buf []byte) (int, error) {
	raw, err := from.SyscallConn()
	if err != nil {
		return 0, err
	}
	var there uint32
	var failed error
	err = raw.Control(func(h uintptr) {
		if ok, _, err := peekNamedPipe.Call(h, 0, 0, 0, uintptr(unsafe.Pointer(&there)), 0); ok == 0 {
			failed = err
		}
	})
	if err != nil || failed != nil || there == 0 {
		return 0, errors.Join(err, failed)
	}
	return from.Read(buf[:min(len(buf), int(there))])
}

// Duplicate is unsupported: on this host no box is given a descriptor.
func Duplicate(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }
