package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
	"github.com/gloveboxhq/glovebox/observe"
	"github.com/gloveboxhq/glovebox/workcopy"
)

const (
	maxFindings = 20                // that are told
	maxTree     = 64 * glovebox.MiB // of files that are checked
)

// lint runs the language's own checks on the change, in the box, and counts the
// new findings. Checks that cannot run are skipped only if they could not run
// before the change either.
func (s *solver) lint(ctx context.Context, a *attempt, files *workcopy.Copy, changes []workcopy.Change) (Signal, error) {
	out := Signal{Name: SignalLint, OK: true}
	l := language.ByName(a.observation.Language)
	var changed []string
	for _, c := range changes {
		if l != nil && c.Kind != workcopy.Deleted && l.Owns(c.Path) {
			changed = append(changed, c.Path)
		}
	}
	if len(changed) == 0 || l.Lint == nil {
		out.OK, out.Skipped, out.Detail = false, true, "no changed file is of a language that can be checked"
		return out, nil
	}
	out.Detail = fmt.Sprintf("files checked: %d", len(changed))
	after, why, err := s.findings(ctx, a, l, files, changed)
	if err != nil || len(after) == 0 && why == "" {
		return out, err
	}
	base := s.subject.start()
	old := slices.DeleteFunc(slices.Clone(changed), func(p string) bool { _, ok := base.Stat(p); return !ok })
	if len(old) == 0 {
		// All are new. Check an old file to learn whether checks can run here.
		old = first(base.Paths(), l.Owns)
	}
	known := map[string]int{}
	if len(old) > 0 {
		before, whyBefore, err := s.findings(ctx, a, l, base, old)
		switch {
		case err != nil:
			return out, err
		case why != "" && whyBefore == "":
			out.block([]string{"the files could be checked before the change, and cannot now: " + why})
		}
		for _, f := range before {
			known[f.File+"\x00"+f.Message]++
		}
	}
	if out.OK && why != "" {
		out.OK, out.Skipped, out.Detail = false, true, why
		return out, nil
	}
	for _, f := range after {
		key := f.File + "\x00" + f.Message
		if known[key] > 0 {
			known[key]--
		} else if len(out.Reasons) < maxFindings {
			at := ""
			if f.File != "" {
				at = fmt.Sprintf("%s:%d: ", observe.Line(f.File), f.Line)
			}
			out.block([]string{at + observe.Line(f.Message)})
		}
	}
	return out, nil
}

// first is the first wanted element, if any.
func first(all []string, want func(string) bool) []string {
	if i := slices.IndexFunc(all, want); i >= 0 {
		return all[i : i+1]
	}
	return nil
}

// findings runs the checks over some files; why is the reason if no check can
// run here. A broken-off check is a finding of no file: a file can cause it.
func (s *solver) findings(ctx context.Context, a *attempt, l *language.Language, files *workcopy.Copy, changed []string) (found []glovebox.Finding, why string, err error) {
	tree, err := files.Files(func(p string) bool { return l.LintReads(p) && !language.LintSettings(p) }, maxTree)
	if err != nil {
		return nil, "the files are too large to be checked: " + err.Error(), nil
	}
	settings, err := s.subject.start().Files(language.LintSettings, maxTree)
	if err != nil {
		return nil, "the settings of the checks are too large: " + err.Error(), nil
	}
	tree = append(tree, settings...)
	job, ok := l.LintJob(tree, changed)
	if !ok {
		return nil, "nothing checks " + l.Title, nil
	}
	job.Limits.Files, job.Limits.Disk = int64(len(tree))+1000, maxTree+glovebox.DefaultLimits.Disk
	o, err := s.run(a.Number, 0)(ctx, PurposeLint, job)
	if err != nil {
		return nil, "", err
	}
	code := -1
	if o.ExitCode != nil {
		code = *o.ExitCode
	}
	switch {
	case o.Status == glovebox.StatusPass:
		return nil, "", nil
	case code == language.LintNothing:
		return nil, observe.Line(o.Stderr), nil
	case code == language.LintFound:
		if found = language.ReadLint(o.Stdout); len(found) > 0 {
			return found, "", nil
		}
	}
	return []glovebox.Finding{{Message: "the checks did not run to their end: " + string(o.Status)}}, "", nil
}
