package approval

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gloveboxhq/glovebox"
)

// display is the text that shows a question. The text is read back before anybody sees
// it: what a person approves are the bytes that were asked about, or nothing.
func display(q *Question, about subject, id string) (string, error) {
	parts := partsOf(q, about, id)
	size := 0
	for _, p := range parts {
		size += len(p.Name) + len(p.Text)
		for _, item := range p.Items {
			size += len(item)
		}
	}
	if size > maxDisplay {
		return "", fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, size, maxDisplay)
	}
	text, err := Render(parts)
	if err != nil {
		return "", err
	}
	again, err := Parse(text)
	if err != nil {
		return "", fmt.Errorf("the job cannot be shown: %w", err)
	}
	if !reflect.DeepEqual(parts, again) {
		return "", fmt.Errorf("the job cannot be shown: its text reads as other bytes")
	}
	return text, nil
}

// partsOf lists all of a Job that decides what runs, what runs first at the top.
func partsOf(q *Question, about subject, id string) []Part {
	j := q.Job
	parts := []Part{{Title: "request", Items: settings(q, about, id)}}
	for i, d := range q.Asked {
		items := []string{"rule: " + d.Rule, "asked: " + d.Asked, "why: " + d.Message}
		if d.Where != "" {
			items = append(items, "where: "+d.Where)
		}
		parts = append(parts, Part{Title: of("rule that asks", i, len(q.Asked)), Items: items})
	}
	if j.Command != nil {
		parts = append(parts, Part{Title: "command", Items: j.Command})
	} else {
		for i, f := range q.Program.Files {
			title := of("program file", i, len(q.Program.Files))
			if f.Path == q.Program.Main || len(q.Program.Files) == 1 {
				title += ", started"
			}
			parts = append(parts, file(title, f))
		}
	}
	if len(j.Args) > 0 {
		parts = append(parts, Part{Title: "arguments", Items: j.Args})
	}
	if len(j.Env) > 0 {
		var items []string
		for _, name := range slices.Sorted(maps.Keys(j.Env)) {
			items = append(items, name+"="+j.Env[name])
		}
		parts = append(parts, Part{Title: "environment", Items: items})
	}
	if len(j.Stdin) > 0 {
		parts = append(parts, Part{Title: "standard input", Text: string(j.Stdin)})
	}
	for i, f := range j.Inputs {
		parts = append(parts, file(of("input file", i, len(j.Inputs)), f))
	}
	for i, f := range j.Tests {
		parts = append(parts, file(of("test file", i, len(j.Tests)), f))
	}
	for i, c := range j.Cases {
		title := of("case", i, len(j.Cases))
		if len(c.Args) > 0 {
			parts = append(parts, Part{Title: title + ", arguments", Items: c.Args})
		}
		parts = append(parts, Part{Title: title + ", standard input", Name: c.Name, Text: c.Stdin}, Part{Title: title + ", expected output", Text: c.Stdout})
	}
	return parts
}

func of(what string, i, n int) string { return fmt.Sprintf("%s %d of %d", what, i+1, n) }

func file(title string, f glovebox.File) Part {
	if f.Executable {
		title += ", executable"
	}
	if f.ReadOnly {
		title += ", read only"
	}
	return Part{Title: title, Name: f.Path, Text: string(f.Data)}
}

// settings lists what is not a text of the Job.
func settings(q *Question, about subject, id string) []string {
	j := q.Job
	items := []string{"id: " + id, "job: " + about.job}
	add := func(name, value string) {
		if value != "" {
			items = append(items, name+": "+value)
		}
	}
	add("program", about.program)
	add("policy", about.policy)
	add("tenant", about.tenant)
	add("image", about.image)
	add("tier", string(j.Tier))
	if j.Command == nil {
		add("language", q.Program.Language)
		add("main", q.Program.Main)
	}
	add("entry", j.Entry)
	add("require proof", string(j.RequireProof))
	add("batch", j.Batch)
	for _, n := range j.Needs {
		add("need", string(n))
	}
	for _, name := range slices.Sorted(maps.Keys(j.Secrets)) {
		add("secret", name)
	}
	l := j.Limits
	for _, d := range []struct {
		name  string
		value interface{ String() string }
		set   bool
	}{{"wall", l.Wall, l.Wall != 0}, {"cpu", l.CPU, l.CPU != 0}} {
		if d.set {
			add("limit "+d.name, d.value.String())
		}
	}
	for _, n := range []struct {
		name  glovebox.LimitName
		value int64
	}{
		{glovebox.LimitMemory, l.Memory}, {glovebox.LimitProcesses, l.Processes}, {glovebox.LimitOpenFiles, l.OpenFiles}, {glovebox.LimitFileSize, l.FileSize},
		{glovebox.LimitDisk, l.Disk}, {glovebox.LimitFiles, l.Files}, {glovebox.LimitOutput, l.Output}, {glovebox.LimitReply, l.Reply},
	} {
		if n.value != 0 {
			add("limit "+strings.ReplaceAll(string(n.name), "_", " "), strconv.FormatInt(n.value, 10))
		}
	}
	if j.Withhold {
		add("withhold", "true")
	}
	return items
}
