package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// TestShapes holds the shapes that replies of models of 2025 and 2026 come in,
// class by class: 121 of the rows failed before the classes were mended, the
// others hold what must not be lost. files are "path: code", the main one first.
func TestShapes(t *testing.T) {
	const (
		add  = "def add(a, b):\n    return a + b\n"
		call = "from util import add\n\nprint(add(1, 2))\n"
	)
	type row struct {
		name, reply string
		opt         Options
		files       []string
	}
	classes := map[string][]row{}

	// 1. Rule lines around unfenced code.
	for _, rule := range []string{
		"---", "-----------", "===", "==========", "***", "**********", "___", "───────", "—————", "━━━━━━", "═════", "~~~~~", "- - -", "* * *",
		"----- code -----", "=== main.py ===", "--- Python ---", "=====", "–––––", "_________",
	} {
		if rule == "- - -" || rule == "* * *" || strings.HasPrefix(rule, "~~~") {
			continue // Markdown's lists and fences
		}
		classes["1 rule lines"] = append(classes["1 rule lines"],
			row{rule, "Below is the solution:\n\n" + rule + "\nimport sys\n\n" + add + "\nprint(add(1, 2))\n" + rule + "\n\nExplanation: this adds two numbers.\n", Options{}, []string{"main.py: import sys\n\n" + add + "\nprint(add(1, 2))\n"}})
	}
	classes["1 rule lines"] = append(classes["1 rule lines"],
		row{"one below only", "import sys\n" + add + "print(add(1, 2))\n─────────\nThis is how it works.\n", Options{}, []string{"main.py: import sys\n" + add + "print(add(1, 2))\n"}})

	// 2. Closing fences with text behind them.
	for _, end := range []string{
		"```<end_code>", "```<|im_end|>", "```<|eot_id|>", "```</s>", "```<|return|>", "```</code>", "``` This works", "``` This function adds two numbers.",
		"```<end_of_turn>", "```[/INST]", "```<|end|>", "```</answer>",
	} {
		classes["2 fence ends"] = append(classes["2 fence ends"],
			row{end, "Here:\n```python\nprint(1)\n" + end + "\nSome more words about it.\n", Options{}, []string{"main.py: print(1)\n"}})
	}
	classes["2 fence ends"] = append(classes["2 fence ends"],
		row{"four open, three close", "````python\nprint(1)\n```\nSome words here.\n", Options{}, []string{"main.py: print(1)\n"}},
		row{"opened after words", "Here is the code: ```python\nprint(1)\n```\nSome words here.\n", Options{}, []string{"main.py: print(1)\n"}},
		row{"closed after code", "```python\nx = 1\nprint(x)```\nSome words here.\n", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		row{"opened twice", "```python\n```python\nprint(1)\n```\n", Options{}, []string{"main.py: print(1)\n"}},
		row{"opened twice, first without a tag", "```\n```python\nprint(1)\n```\n```\n", Options{}, []string{"main.py: print(1)\n"}},
		row{"the tag on the next line", "```\npython\nprint(1)\n```\n", Options{}, []string{"main.py: print(1)\n"}},
	)

	// 3. Names of files.
	for _, above := range []string{
		"1. **`util.py`**: the helpers", "## 1. util.py - helpers", "### Step 1: Create util.py", "Create a file called util.py with:",
		"Make a new file named \"util.py\":", "File 1: util.py", "### 📄 util.py", "📁 `util.py`", "<summary>util.py</summary>", "==> util.py <==",
		"In util.py:", "文件名：util.py", "文件：`util.py`", "Save this as util.py", "**util.py** (helpers)", "### util.py — helpers", "#### `util.py` (new)",
		"Fichier : util.py", "Archivo: util.py", "Datei: util.py", "ファイル名: util.py", "First, create `util.py`", "**File 1: `util.py`**", "## File: util.py",
		"--- util.py ---", "=== util.py ===", "Step 1: util.py", "Add the following to `util.py`:", "在 util.py 中：",
	} {
		classes["3 names"] = append(classes["3 names"],
			row{above, above + "\n\n```python\n" + add + "```\n\n" + strings.NewReplacer("util.py", "main.py", "1", "2", "helpers", "the program").Replace(above) + "\n\n```python\n" + call + "```\n", Options{},
				[]string{"main.py: " + call, "util.py: " + add}})
	}
	for _, info := range []string{"python // util.py", "python # util.py", "python util.py", "python:util.py", "python filename=util.py"} {
		classes["3 names"] = append(classes["3 names"],
			row{info, "```" + info + "\n" + add + "```\n```" + strings.ReplaceAll(info, "util", "main") + "\n" + call + "```\n", Options{}, []string{"main.py: " + call, "util.py: " + add}})
	}
	classes["3 names"] = append(classes["3 names"],
		row{"words on running it are none", "`a.py`\n```python\n" + add + "```\nUse a.py like this:\n```python\nprint(add(1, 2))\n```\n", Options{}, []string{"a.py: " + add}},
		row{"words on running it are none either", "```python\n" + add + "print(add(1, 2))\n```\nRun it with `python main.py`:\n```\n3\n```\n", Options{}, []string{"main.py: " + add + "print(add(1, 2))\n"}},
	)

	// 4. Usage where nothing else starts the program.
	classes["4 usage"] = []row{
		{"alone", "```python\n" + add + "```\nExample usage:\n```python\nprint(add(1, 2))\n```\n", Options{Alone: true}, []string{"main.py: " + add + "\nprint(add(1, 2))\n"}},
		{"with tests", "```python\n" + add + "```\nExample usage:\n```python\nprint(add(1, 2))\n```\n", Options{}, []string{"main.py: " + add}},
		{"alone, but it starts", "```python\n" + add + "print(add(3, 4))\n```\nExample usage:\n```python\nprint(add(1, 2))\n```\n", Options{Alone: true}, []string{"main.py: " + add + "print(add(3, 4))\n"}},
		{"alone, with an entry", "```python\n" + add + "if __name__ == '__main__':\n    print(add(3, 4))\n```\nExample usage:\n```python\nprint(add(1, 2))\n```\n", Options{Alone: true}, []string{"main.py: " + add + "if __name__ == '__main__':\n    print(add(3, 4))\n"}},
		{"alone, in JavaScript", "```js\nfunction add(a, b) {\n  return a + b;\n}\n```\nUsage:\n```js\nconsole.log(add(1, 2));\n```\n", Options{Alone: true}, []string{"main.js: function add(a, b) {\n  return a + b;\n}\n\nconsole.log(add(1, 2));\n"}},
		{"alone, in Ruby", "```ruby\ndef add(a, b)\n  a + b\nend\n```\nUsage:\n```ruby\nputs add(1, 2)\n```\n", Options{Alone: true}, []string{"main.rb: def add(a, b)\n  a + b\nend\n\nputs add(1, 2)\n"}},
	}

	// 5. Other languages in bare text and in fences without a tag.
	for name, code := range map[string]string{
		"Rust":              "use std::io;\n\nfn main() {\n    let mut x = String::new();\n    io::stdin().read_line(&mut x).unwrap();\n    println!(\"{}\", x);\n}\n",
		"Rust, a function":  "fn add(a: i32, b: i32) -> i32 {\n    let c = a + b;\n    return c;\n}\n",
		"Kotlin":            "fun main() {\n    val n = readLine()!!.toInt()\n    for (i in 1..n) {\n        println(i)\n    }\n}\n",
		"Java":              "import java.util.*;\n\npublic class Main {\n    public static void main(String[] args) {\n        int x = 1;\n        System.out.println(x);\n    }\n}\n",
		"Java, a class":     "public class Point {\n    private final int x;\n    public int getX() {\n        return x;\n    }\n}\n",
		"C++":               "#include <iostream>\nusing namespace std;\nint main() {\n    int x = 1;\n    cout << x;\n    return 0;\n}\n",
		"C#":                "using System;\nclass P {\n    static void Main() {\n        var x = 1;\n        Console.WriteLine(x);\n    }\n}\n",
		"Swift":             "import Foundation\n\nfunc add(_ a: Int, _ b: Int) -> Int {\n    return a + b\n}\nprint(add(1, 2))\n",
		"Scala":             "object Main extends App {\n  val x = 1\n  def f(a: Int): Int = a + 1\n  println(f(x))\n}\n",
		"pseudocode":        "FUNCTION add(a, b)\n    SET c TO a + b\n    IF c > 3 THEN\n        PRINT c\n    END IF\n    RETURN c\nEND FUNCTION\n",
		"pseudocode, lower": "function sum(list):\n    set total to 0\n    for each x in list do\n        total = total + x\n    end for\n    return total\n",
		"SQL":               "CREATE TABLE a (id INT);\nSELECT id FROM a WHERE id = 1;\n",
	} {
		classes["5 other languages"] = append(classes["5 other languages"],
			row{name + ", bare", "Here is the solution that you asked for.\n\n" + code + "\nIt does what was asked.\n", Options{}, nil},
			row{name + ", no tag", "Here is it:\n\n```\n" + code + "```\n", Options{}, nil})
	}

	// 6. Patches of agents, and calls of tools that name files.
	const patch = "*** Begin Patch\n*** Add File: src/a.py\n+def f():\n+    return 1\n+\n+print(f())\n*** End Patch\n"
	made := []string{"src/a.py: def f():\n    return 1\n\nprint(f())\n"}
	classes["6 edits"] = []row{
		{"a patch", patch, Options{}, made},
		{"a patch after words", "I will add the file.\n\n" + patch, Options{}, made},
		{"a patch in a fence", "```diff\n" + patch + "```\n", Options{}, made},
		{"a patch in a fence without a tag", "```\n" + patch + "```\n", Options{}, made},
		{"a patch in a command", "```bash\napply_patch <<'EOF'\n" + patch + "EOF\n```\n", Options{}, made},
		{"a patch of a file that is here", "`a.py`\n```python\ndef f():\n    return 1\n```\n```\n*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-    return 1\n+    return 2\n*** End Patch\n```\n", Options{}, []string{"a.py: def f():\n    return 2\n"}},
		{"a patch of a file that is not", "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-    return 1\n+    return 2\n*** End Patch\n", Options{}, nil},
		{"two files", "*** Begin Patch\n*** Add File: main.py\n+import b\n+print(b.X)\n*** Add File: b.py\n+X = 1\n*** End Patch\n", Options{}, []string{"main.py: import b\nprint(b.X)\n", "b.py: X = 1\n"}},
		{"a search of nothing", "a.py\n```python\n<<<<<<< SEARCH\n=======\nX = 1\nprint(X)\n>>>>>>> REPLACE\n```\n", Options{}, []string{"a.py: X = 1\nprint(X)\n"}},
		{"a search of nothing, the name inside", "```python\na.py\n<<<<<<< SEARCH\n=======\nX = 1\nprint(X)\n>>>>>>> REPLACE\n```\n", Options{}, []string{"a.py: X = 1\nprint(X)\n"}},
		{"a search of nothing, bare", "a.py\n<<<<<<< SEARCH\n=======\nX = 1\nprint(X)\n>>>>>>> REPLACE\n", Options{}, []string{"a.py: X = 1\nprint(X)\n"}},
		{"Cline's marks", "```\na.py\n------- SEARCH\n=======\nX = 1\nprint(X)\n+++++++ REPLACE\n```\n", Options{}, []string{"a.py: X = 1\nprint(X)\n"}},
		{"a search in a file that is here", "a.py\n```python\nX = 1\nprint(X)\n```\na.py\n```python\n<<<<<<< SEARCH\nX = 1\n=======\nX = 2\n>>>>>>> REPLACE\n```\n", Options{}, []string{"a.py: X = 2\nprint(X)\n"}},
		{"a search in a file that is not", "a.py\n```python\n<<<<<<< SEARCH\nX = 1\n=======\nX = 2\n>>>>>>> REPLACE\n```\n", Options{}, nil},
		{"a parameter with the path", "<invoke name=\"write_file\">\n<parameter name=\"path\">src/a.py</parameter>\n<parameter name=\"content\">X = 1\nprint(X)\n</parameter>\n</invoke>\n", Options{}, []string{"src/a.py: X = 1\nprint(X)\n"}},
		{"a tag with the path", "<write_to_file>\n<path>src/a.py</path>\n<content>\nX = 1\nprint(X)\n</content>\n</write_to_file>\n", Options{}, []string{"src/a.py: X = 1\nprint(X)\n"}},
		{"two calls", "<write_to_file>\n<path>main.py</path>\n<content>\nimport b\nprint(b.X)\n</content>\n</write_to_file>\n<write_to_file>\n<path>b.py</path>\n<content>\nX = 1\n</content>\n</write_to_file>\n", Options{}, []string{"main.py: import b\nprint(b.X)\n", "b.py: X = 1\n"}},
		{"a change by a tool", "<invoke name=\"str_replace\">\n<parameter name=\"path\">a.py</parameter>\n<parameter name=\"old_str\">x = 1\nprint(x)\n</parameter>\n</invoke>\n", Options{}, nil},
		{"an action of Bolt", "<boltArtifact id=\"a\" title=\"A\">\n<boltAction type=\"file\" filePath=\"src/a.js\">\nconst x = 1;\nconsole.log(x);\n</boltAction>\n</boltArtifact>\n", Options{}, []string{"src/a.js: const x = 1;\nconsole.log(x);\n"}},
	}

	// 7. Alternatives and what not to do.
	classes["7 versions"] = []row{
		{"another function with the same example", "```python\ndef asked(n):\n    return n\nn = 10\nprint(asked(n))\n```\nAn alternative:\n```python\ndef other(n):\n    return n + 0\nn = 10\nprint(other(n))\n```\n", Options{Tests: []string{"check.py"}},
			[]string{"main.py: def asked(n):\n    return n\nn = 10\nprint(asked(n))\n\ndef other(n):\n    return n + 0\nn = 10\nprint(other(n))\n"}},
		{"a mistake to avoid", "```python\ndef f(n):\n    return n + 1\n```\nAvoid this mistake:\n```python\ndef f(n):\n    return n - 1\n```\n", Options{}, []string{"main.py: def f(n):\n    return n + 1\n"}},
		{"a cross", "```python\ndef f(n):\n    return n + 1\n```\n❌ Wrong:\n```python\ndef f(n):\n    return n - 1\n```\n", Options{}, []string{"main.py: def f(n):\n    return n + 1\n"}},
		{"don't", "```js\nfunction f(n) { return n + 1; }\n```\nDon't do this:\n```js\nfunction f(n) { return n - 1; }\n```\n", Options{}, []string{"main.js: function f(n) { return n + 1; }\n"}},
		{"a heading", "```python\ndef f(n):\n    return n + 1\n```\n## Common mistakes\n\n```python\ndef f(n):\n    return n - 1\n```\n", Options{}, []string{"main.py: def f(n):\n    return n + 1\n"}},
		{"wrong, then right", "❌ Wrong:\n```python\ndef f(n):\n    return n - 1\n```\n✅ Right:\n```python\ndef f(n):\n    return n + 1\n```\n", Options{}, []string{"main.py: def f(n):\n    return n + 1\n"}},
	}

	// 8. Notebooks.
	const head, foot = `{"cells": [`, `], "metadata": {}, "nbformat": 4}`
	classes["8 notebooks"] = []row{
		{"strings", head + `{"cell_type": "markdown", "source": "# Title"}, {"cell_type": "code", "source": "x = 1"}, {"cell_type": "code", "source": "print(x)"}` + foot, Options{}, []string{"main.py: x = 1\n\nprint(x)\n"}},
		{"lists", head + `{"cell_type": "code", "source": ["x = 1\n", "y = 2"]}, {"cell_type": "code", "source": ["print(x + y)"]}` + foot, Options{}, []string{"main.py: x = 1\ny = 2\n\nprint(x + y)\n"}},
		{"in a fence", "```json\n" + head + `{"cell_type": "code", "source": ["x = 1\n"]}, {"cell_type": "code", "source": ["print(x)"]}` + foot + "\n```\n", Options{}, []string{"main.py: x = 1\n\nprint(x)\n"}},
		{"magic", head + `{"cell_type": "code", "source": ["!pip install numpy\n", "%matplotlib inline\n", "x = 1\n"]}, {"cell_type": "code", "source": ["print(x)"]}` + foot, Options{}, []string{"main.py: x = 1\n\nprint(x)\n"}},
		{"a cell again", head + `{"cell_type": "code", "source": "n = 1\nprint(n)"}, {"cell_type": "code", "source": "n = 2\nprint(n)"}` + foot, Options{}, []string{"main.py: n = 1\nprint(n)\n\nn = 2\nprint(n)\n"}},
	}

	// 9. Commands in fences of a language, tags of Gemini and Llama.
	classes["9 commands"] = []row{
		{"pip", "```python\npip install requests\n```\n```python\nprint(1)\n```\n", Options{}, []string{"main.py: print(1)\n"}},
		{"pip above the code", "```python\n!pip install requests\nprint(1)\n```\n", Options{}, []string{"main.py: print(1)\n"}},
		{"python -m pip", "```python\npython -m pip install -U requests\n```\n```python\nprint(1)\n```\n", Options{}, []string{"main.py: print(1)\n"}},
		{"npm", "```javascript\nnpm install left-pad\n```\n```javascript\nconsole.log(1)\n```\n", Options{}, []string{"main.js: console.log(1)\n"}},
		{"tool_code", "```tool_code\nprint(1)\n```\n", Options{}, []string{"main.py: print(1)\n"}},
		{"a string stays", "```python\nprint('''\n!pip install x\n''')\n```\n", Options{}, []string{"main.py: print('''\n!pip install x\n''')\n"}},
	}

	// 10. The rest.
	classes["10 rest"] = []row{
		{"code outside, usage in a fence", "class Stack:\n    def __init__(self):\n        self.items = []\n    def push(self, x):\n        self.items.append(x)\n\nYou can use it like this:\n```\ns = Stack()\ns.push(1)\nprint(s.items)\n```\n", Options{Alone: true},
			[]string{"main.py: class Stack:\n    def __init__(self):\n        self.items = []\n    def push(self, x):\n        self.items.append(x)\n\ns = Stack()\ns.push(1)\nprint(s.items)\n"}},
		{"JSON with line ends", "{\"code\": \"x = 1\nprint(x)\n\"}", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		{"JSON in single quotes", "{'code': 'x = 1\\nprint(x)\\n'}", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		{"JSON with a comma left over", "{\"code\": \"x = 1\\nprint(x)\\n\", }", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		{"JSON with None", "{'language': 'python', 'id': None, 'code': 'x = 1\\nprint(x)\\n'}", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		{"JSON with triple quotes", "{\"code\": \"\"\"\nx = \"1\"\nprint(x)\n\"\"\"}", Options{}, []string{"main.py: x = \"1\"\nprint(x)\n"}},
		{"an artifact", "<antArtifact identifier=\"a\" type=\"application/vnd.ant.code\" language=\"python\" title=\"A\">\nx = 1\nprint(x)\n</antArtifact>\n", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		{"an artifact's end", "```python\nx = 1\nprint(x)\n</antArtifact>\n", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		{"bare code and a tag's end", "x = 1\nfor i in range(3):\n    print(i)\n[/code]\n", Options{}, []string{"main.py: x = 1\nfor i in range(3):\n    print(i)\n"}},
		{"LaTeX", "\\begin{lstlisting}[language=Python]\nx = 1\nprint(x)\n\\end{lstlisting}\n", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		{"minted", "Words.\n\\begin{minted}{python}\nx = 1\nprint(x)\n\\end{minted}\nWords.", Options{}, []string{"main.py: x = 1\nprint(x)\n"}},
		{"verbatim", "\\begin{verbatim}\nfor i in range(3):\n    print(i)\n\\end{verbatim}\n", Options{}, []string{"main.py: for i in range(3):\n    print(i)\n"}},
		{"a module of Lua and a script", "```lua\nlocal M = {}\nfunction M.f() return 1 end\nreturn M\n```\n```lua\nlocal m = require(\"mymod\")\nprint(m.f())\n```\n", Options{}, []string{"main.lua: local m = require(\"mymod\")\nprint(m.f())\n", "mymod.lua: local M = {}\nfunction M.f() return 1 end\nreturn M\n"}},
	}

	for class, rows := range classes {
		for _, r := range rows {
			t.Run(class+"/"+r.name, func(t *testing.T) {
				res, err := Extract(glovebox.Reply(r.reply), r.opt)
				if err != nil {
					t.Fatal(err)
				}
				checkResult(t, r.reply, res)
				var got []string
				if p := res.Program; p != nil {
					for _, f := range p.Files {
						if s := f.Path + ": " + string(f.Data); f.Path == p.Main {
							got = slices.Insert(got, 0, s)
						} else {
							got = append(got, s)
						}
					}
				}
				if !slices.Equal(got, r.files) {
					t.Errorf("got %q\nwant %q\n%+v", got, r.files, res.Extraction)
				}
			})
		}
	}
}
