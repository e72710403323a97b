package glove

import "github.com/gloveboxhq/glovebox/internal/linux"

// Program returns a static ELF executable for this machine that executes s by
// itself, as any program of a box: it has no host to talk to. It ends with exit
// code 0 at its end, and with the error number of a call that failed as its
// exit code. So a system call can be tried in a box that holds no interpreter.
func Program(s *Script) ([]byte, error) {
	s.add("exit", linux.SYS_EXIT_GROUP, 0)
	if s.fault != nil {
		s.Place(s.fault)
		code := s.Words(0)
		result := s.Load(Ref{value{number: faultBase + 8}})
		negate := s.Sub(code, 0)
		result.To(negate.Arg(1))
		exit := s.add("exit", linux.SYS_EXIT_GROUP, 0)
		negate.To(exit.Arg(0))
	}
	raw, err := s.layout(nil, scriptBase)
	if err != nil {
		return nil, err
	}
	start := new(Script)
	start.Jump(script)
	first, err := start.layout(nil, loaderBase)
	if err != nil {
		return nil, err
	}
	data := make([]byte, scriptBase-faultBase, scriptBase-faultBase+len(raw))
	copy(data[loaderBase-faultBase:], first)
	return makeImage(append(data, raw...)), nil
}
