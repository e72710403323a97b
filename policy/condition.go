package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/types"

	"github.com/gloveboxhq/glovebox"
)

// Bounds of a condition. The cost is that of CEL: about one for each operation.
const (
	maxExpression = 4 << 10
	maxCost       = 1_000_000
	maxEstimate   = 100_000_000
	maxTime       = 2 * time.Second // only against a fault of the library: the cost ends first
	maxListed     = 4096            // entries of a list that an expression may see
	maxWordLength = 16 << 10
)

// condition is a compiled CEL expression.
type condition struct {
	rule    conditionRule
	action  action
	layer   *layer
	at      Place
	text    string
	program cel.Program
	ast     *cel.Ast
}

// variables are what an expression sees, with their types and largest sizes.
var variables = []struct {
	name string
	of   func() *cel.Type
}{
	{"job.language", stringType}, {"job.image", stringType}, {"job.tier", stringType}, {"job.tenant", stringType}, {"job.proof", stringType},
	{"job.command", listType}, {"job.args", listType}, {"job.env", listType}, {"job.needs", listType},
	{"job.files", mapType}, {"job.tests", mapType}, {"job.inputs", mapType},
	{"job.limits.wall", durationType}, {"job.limits.cpu", durationType},
	{"job.limits.memory", intType}, {"job.limits.processes", intType}, {"job.limits.open_files", intType}, {"job.limits.file_size", intType},
	{"job.limits.disk", intType}, {"job.limits.files", intType}, {"job.limits.output", intType}, {"job.limits.reply", intType},
	{"findings", func() *cel.Type { return cel.ListType(cel.MapType(cel.StringType, cel.StringType)) }},
}

func stringType() *cel.Type   { return cel.StringType }
func intType() *cel.Type      { return cel.IntType }
func durationType() *cel.Type { return cel.DurationType }
func listType() *cel.Type     { return cel.ListType(cel.StringType) }
func mapType() *cel.Type      { return cel.MapType(cel.StringType, cel.IntType) }

// environment is made for the first condition: without conditions CEL costs nothing.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{cel.ParserExpressionSizeLimit(maxExpression), cel.ParserRecursionLimit(64)}
	for _, v := range variables {
		options = append(options, cel.Variable(v.name, v.of()))
	}
	return cel.NewEnv(options...)
})

// estimator bounds the sizes that an estimate of cost needs.
type estimator struct{}

func (estimator) EstimateSize(e cost.AstNode) *cost.SizeEstimate {
	switch e.Type().Kind() {
	case types.ListKind, types.MapKind:
		return &cost.SizeEstimate{Min: 0, Max: 256}
	case types.StringKind, types.BytesKind:
		return &cost.SizeEstimate{Min: 0, Max: 1024}
	}
	return nil
}

func (estimator) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}

// compile makes the conditions of all layers, and runs their examples.
func (p *Policy) compile() (faults Faults) {
	for _, l := range p.layers {
		for i, rule := range l.doc.Conditions {
			if (rule.Deny == "") == (rule.Ask == "") {
				continue // a fault that was reported
			}
			n := l.entry("conditions", i)
			c := &condition{rule: rule, action: actionDeny, layer: l, at: n.at, text: rule.Deny}
			if rule.Ask != "" {
				c.action, c.text = actionAsk, rule.Ask
			}
			expression := n.get(string(c.action))
			path := fmt.Sprintf("conditions[%d].%s", i, c.action)
			if err := c.compile(); err != nil {
				faults = append(faults, err.at(expression.inside(), path))
				continue
			}
			p.conditions = append(p.conditions, c)
			check := func(list string, jobs []ExampleJob, want bool) {
				for j := range jobs {
					at := n.get(list).items[j].at
					f := jobs[j].facts()
					f.limits = l.bounds.complete(f.limits)
					got, err := c.eval(bindings(f))
					message := ""
					switch {
					case err != nil:
						message = fmt.Sprintf("the expression fails on this job: %v", err)
					case got != want:
						message = fmt.Sprintf("the expression is %v for this job", got)
					default:
						continue
					}
					other := expression.at
					faults = append(faults, Fault{Class: ClassExample, At: at, Other: &other, Field: fmt.Sprintf("conditions[%d].%s[%d]", i, list, j), Message: message + ": change the example or the expression"})
				}
			}
			check("match", rule.Match, true)
			check("not_match", rule.NotMatch, false)
			if len(faults) > maxFaults {
				return faults
			}
		}
	}
	return faults
}

// expressionError is an error with a position in the expression, from 1.
type expressionError struct {
	message      string
	line, column int
}

// at maps the position to the file where the expression begins at a place.
func (e *expressionError) at(start Place, path string) Fault {
	place := start
	switch {
	case e.line == 1:
		place.Column += e.column - 1
	case e.line > 1:
		place.Line, place.Column = place.Line+e.line-1, e.column
	}
	return Fault{Class: ClassExpression, At: place, Field: path, Message: e.message}
}

// compile parses and checks the expression. A panic of the library is an error.
func (c *condition) compile() (failed *expressionError) {
	defer func() {
		if recover() != nil {
			failed = &expressionError{message: "the expression cannot be compiled: write it more simply"}
		}
	}()
	fail := func(format string, args ...any) *expressionError {
		return &expressionError{message: fmt.Sprintf(format, args...)}
	}
	if len(c.text) > maxExpression {
		return fail("the expression is %d bytes long: at most %d", len(c.text), maxExpression)
	}
	env, err := environment()
	if err != nil {
		return fail("CEL cannot start: %v", err)
	}
	ast, issues := env.Compile(c.text)
	if issues != nil && issues.Err() != nil {
		first := issues.Errors()[0]
		return &expressionError{message: "not a CEL expression: " + clip(first.Message) + "; the variables are job.language, job.files, findings and others of docs/policy.md",
			line: first.Location.Line(), column: first.Location.Column() + 1}
	}
	if !ast.OutputType().IsExactType(cel.BoolType) {
		return fail("the expression gives %s: it must give true or false", ast.OutputType())
	}
	if estimate, err := env.EstimateCost(ast, estimator{}); err != nil || estimate.Max > maxEstimate {
		return fail("the expression can cost too much: at most %d steps, and this can take %d; nest fewer loops", maxEstimate, estimate.Max)
	}
	c.ast = ast
	c.program, err = env.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(1000))
	if err != nil {
		return fail("the expression cannot be compiled: %v", err)
	}
	return nil
}

// eval evaluates the expression. An error means: refuse.
func (c *condition) eval(vars map[string]any, tooLarge error) (is bool, err error) {
	if tooLarge != nil {
		return false, tooLarge
	}
	defer func() {
		if recover() != nil {
			is, err = false, errors.New("the expression cannot be evaluated")
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	result, _, err := c.program.ContextEval(ctx, vars)
	if err != nil {
		return false, err
	}
	is, ok := result.Value().(bool)
	if !ok {
		return false, errors.New("the expression gave no answer")
	}
	return is, nil
}

// bindings are the variables of a Job. Too large a Job is an error, so a refusal.
func bindings(f *facts) (map[string]any, error) {
	if n := max(len(f.files), len(f.tests), len(f.inputs), len(f.env), len(f.args), len(f.command), len(f.needs), len(f.findings)); n > maxListed {
		return nil, fmt.Errorf("the job has a list of %d entries: a condition sees at most %d", n, maxListed)
	}
	paths := func(files []sized) map[string]int64 {
		m := make(map[string]int64, len(files))
		for _, file := range files {
			m[file.path] = max(m[file.path], file.size)
		}
		return m
	}
	needs := texts(f.needs)
	tier := f.tier
	if tier == "" {
		tier = glovebox.TierAuto
	}
	findings := make([]map[string]string, len(f.findings))
	for i, x := range f.findings {
		findings[i] = map[string]string{"rule": x.Rule, "severity": string(x.Severity), "file": x.File, "package": x.Package, "message": x.Message}
	}
	long := func(s string) bool { return len(s) > maxWordLength }
	for _, list := range [][]string{f.command, f.args, f.env, needs, {f.language, f.image, f.tenant}} {
		if slices.ContainsFunc(list, long) {
			return nil, fmt.Errorf("the job has a text of more than %d bytes: a condition cannot see it", maxWordLength)
		}
	}
	vars := map[string]any{
		"job.language": f.language, "job.image": f.image, "job.tier": string(tier), "job.tenant": f.tenant, "job.proof": string(f.proof),
		"job.command": list(f.command), "job.args": list(f.args), "job.env": list(f.env), "job.needs": needs,
		"job.files": paths(f.files), "job.tests": paths(f.tests), "job.inputs": paths(f.inputs),
		"job.limits.wall": f.limits.Wall, "job.limits.cpu": f.limits.CPU,
		"findings": findings,
	}
	for i, p := range limitFields(&f.limits) {
		if i >= 2 {
			vars["job.limits."+limitNames[i]] = *p
		}
	}
	return vars, nil
}

func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// constant returns the value of an expression that does not look at the Job.
func (c *condition) constant() (value, is bool) {
	env, err := environment()
	if err != nil {
		return false, false
	}
	defer func() {
		if recover() != nil {
			value, is = false, false
		}
	}()
	program, err := env.Program(c.ast, cel.EvalOptions(cel.OptPartialEval), cel.CostLimit(maxCost))
	if err != nil {
		return false, false
	}
	var unknown []*cel.AttributePatternType
	for _, v := range variables {
		unknown = append(unknown, cel.AttributePattern(v.name))
	}
	vars, err := cel.PartialVars(map[string]any{}, unknown...)
	if err != nil {
		return false, false
	}
	result, _, err := program.Eval(vars)
	if err != nil || types.IsUnknown(result) {
		return false, false
	}
	value, is = result.Value().(bool)
	return value, is
}

// normal returns an expression without white space, to compare expressions.
func normal(expression string) string { return strings.Join(strings.Fields(expression), " ") }
