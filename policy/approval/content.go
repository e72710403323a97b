package approval

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox"
)

// content is the file of a live request: what its rules ask, and what the policy allows a
// person to answer. The text that shows the Job is in another file.
type content struct {
	Asked     []glovebox.Denial `json:"asked"`
	GrantLife time.Duration     `json:"grant_life"`
	Once      bool              `json:"once"`
	Approvers []string          `json:"approvers"`
	Display   string            `json:"display_sha256"`
}

const maxContent = 1 << 20 // bytes of the file

// write writes the content of an open request.
func (c *change) write(q *Question, about subject, e *entry) error {
	display, err := display(q, about, e.ID)
	if err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	text := content{GrantLife: q.GrantLife, Once: q.Once, Approvers: q.Approvers, Display: sum([]byte(display))}
	for _, d := range q.Asked {
		// The hashes of rules are of these bytes, so they must survive the file.
		for _, s := range []string{d.Rule, d.Where, d.Asked, d.Message, d.AllowWith} {
			if valid(s) != s {
				return fmt.Errorf("approvals: rule %q asks with text that is not UTF-8", shown(d.Rule))
			}
		}
		text.Asked = append(text.Asked, d)
	}
	data, err := encode(text)
	if err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	if len(data) > maxContent {
		return fmt.Errorf("approvals: %w: what the rules ask has %d bytes", ErrTooLarge, len(data))
	}
	if err := errors.Join(writeFile(c.path(e.ID, displayEnding), []byte(display)), writeFile(c.path(e.ID, contentEnding), data)); err != nil {
		return fmt.Errorf("approvals: %w", err)
	}
	e.Content = sum(data)
	c.event(EventAsked, e)
	return nil
}

// content reads the content of a live request. What was changed since the request was
// made is an error.
func (s *Store) content(e *entry) (*content, error) {
	data, err := s.kept(e, contentEnding, maxContent, e.Content)
	if err != nil {
		return nil, err
	}
	var c content
	if err := decode(data, &c); err != nil {
		return nil, fmt.Errorf("approvals: %s: %w", s.path(e.ID, contentEnding), err)
	}
	return &c, nil
}

// text reads the content of a live request and the text that shows the Job. What cannot
// be shown cannot be granted.
func (s *Store) text(e *entry) (*content, string, error) {
	c, err := s.content(e)
	if err != nil {
		return nil, "", err
	}
	text, err := s.kept(e, displayEnding, maxDisplay, c.Display)
	return c, string(text), err
}

// kept reads a file of a request whose SHA-256 is known.
func (s *Store) kept(e *entry, ending string, most int64, want string) ([]byte, error) {
	name := s.path(e.ID, ending)
	data, err := readFile(name, most)
	if err != nil {
		return nil, fmt.Errorf("approvals: what request %s asks is lost, so run the job again: %w", e.ID, err)
	}
	if sum(data) != want {
		return nil, fmt.Errorf("approvals: %s was changed since the request was made: run the job again", name)
	}
	return data, nil
}

// Display returns the text that shows a person what a request would run: printable, and
// of the exact bytes, as [Parse] reads them. It is kept while the request is open or
// granted.
func (s *Store) Display(ctx context.Context, id string) (string, error) {
	var text string
	err := s.view(ctx, func(now *state) error {
		e, err := now.find(id)
		if err != nil {
			return fmt.Errorf("approvals: %w", err)
		}
		if !e.State.live() {
			return fmt.Errorf("approvals: the text of the program is not kept: %w", &AnsweredError{e.Request})
		}
		_, text, err = s.text(e)
		return err
	})
	return text, err
}
