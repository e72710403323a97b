package language

// TypeScript is TypeScript on Node.js. Its types are stripped on the host, by
// esbuild; nothing checks them.
var TypeScript = &Language{
	Name:       "typescript",
	Title:      "TypeScript",
	Aliases:    []string{"typescript", "ts", "mts", "cts", "tsx"},
	Extensions: []string{".ts", ".mts", ".cts"},
	Main:       "main.ts",
	Comment:    "//",
	Score:      scoreTypeScript,
	IsTest:     isJavaScriptTest,
	Install:    JavaScript.Install,
}

// typeScriptSigns are what only TypeScript has.
var typeScriptSigns = signs{
	signed(40, `^\s*(?:export\s+)?(?:declare\s+)?interface\s+\w+(?:<[^>]*>)?\s*(?:extends\s+[\w, <>]+)?\{`),
	signed(40, `^\s*(?:export\s+)?type\s+\w+(?:<[^>]*>)?\s*=`),
	signed(40, `[(,]\s*\w+\??\s*:\s*(?:readonly\s+)?(?:number|string|boolean|any|unknown|void|never|object|Array<|Map<|Set<|Record<|\[)`),
	signed(40, `\)\s*:\s*(?:number|string|boolean|any|unknown|void|never|Promise<|Array<|Map<|Set<|[A-Z]\w*)(?:\[\])*\s*(?:\{|=>|\|)`),
	signed(40, `\b(?:const|let|var)\s+\w+\s*:\s*[\w<>\[\]{}|, ]+\s*=`),
	signed(30, `\bas\s+(?:const|any|unknown|number|string|[A-Z]\w*)\b`),
	signed(30, `^\s*(?:private|public|protected|readonly)\s+\w+\s*[:(?]`),
	signed(30, `^\s*(?:export\s+)?(?:const\s+)?enum\s+\w+\s*\{`),
	signed(30, `^\s*import\s+type\s`),
	signed(30, `^\s*declare\s+(?:var|const|let|function|module|global)\b`),
}

// scoreTypeScript is above JavaScript's score where a type is written, else 0:
// a program of both is the plainer one.
func scoreTypeScript(src string) int {
	types := typeScriptSigns.score(src)
	if types == 0 {
		return 0
	}
	return min(types+javaScriptSigns.score(src), 100)
}
