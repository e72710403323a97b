package command_test

import (
	"fmt"

	"github.com/gloveboxhq/glovebox/policy/command"
)

func ExamplePolicy_Parse() {
	p := command.Default()
	c, err := p.Parse(`grep -rn "func main" cmd`)
	fmt.Printf("%q %v\n", c.Argv, err)
	_, err = p.Parse(`cat notes.txt | sh`)
	fmt.Println(err)
	_, err = p.Parse(`git -c core.pager=id log`)
	fmt.Println(err)
	// Output:
	// ["grep" "-rn" "func main" "cmd"] <nil>
	// column 15: a pipe | is refused: a line is one program with its arguments; run the first command by itself and read its output
	// column 5: the flag "-c" is refused: a setting of git can name a program to run; use only these flags of git: (before the subcommand), --no-pager, --version
}
