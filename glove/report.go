package glove

import (
	"time"

	"github.com/gloveboxhq/glovebox/internal/linux"
)

// Report sends n bytes from buf as a reply, and the script goes on. The host
// takes one reply of the script with [Ends.Do] and each further one with
// [Ends.Next].
func (s *Script) Report(buf Ref, n int) {
	s.Call("report", linux.SYS_WRITE, FDReply, s.Words(tagReply, n), 16)
	s.Call("report", linux.SYS_WRITE, FDReply, buf, n)
}

// Next takes a further reply of a script that was sent with [Ends.Do].
func (e Ends) Next(s *Script, deadline time.Time) ([]byte, error) {
	body, _, err := e.receive(s, deadline)
	return body, err
}
