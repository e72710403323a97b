//go:build linux

package wire

import (
	"io"
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox/glove"
	"github.com/gloveboxhq/glovebox/internal/linux"
)

// BenchmarkScript is one empty script and its reply.
func BenchmarkScript(b *testing.B) {
	l := start(b)
	for b.Loop() {
		do(b, l, new(glove.Script))
	}
}

// BenchmarkStreams is a MiB there and back.
func BenchmarkStreams(b *testing.B) {
	const size = 1 << 20
	in, write := pipe(b, true)
	out, read := pipe(b, false)
	l := start(b, in, out)
	for _, f := range []*os.File{in, out} {
		f.Close()
	}
	s := new(glove.Script)
	s.Call("default signal", linux.SYS_RT_SIGACTION, linux.SIGPIPE, s.Buffer(32), 0, 8)
	command(s, func() { copies(s, 3, 4) })
	done := make(chan bool)
	go func() {
		l.Ends().Do(s, soon())
		close(done)
	}()
	data := make([]byte, size)
	b.SetBytes(size)
	for b.Loop() {
		go write.Write(data)
		if _, err := io.CopyN(io.Discard, read, size); err != nil {
			b.Fatal(err)
		}
	}
	write.Close()
	<-done
}
