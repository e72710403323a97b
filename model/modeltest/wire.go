package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/gloveboxhq/glovebox/model"
)

// maxRequest is the longest request in bytes.
const maxRequest = 64 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.active.Add(1)
	defer s.active.Done()
	var f format
	switch r.URL.Path {
	case "/v1/chat/completions":
		f = openAI{}
	case "/v1/messages":
		f = anthropic{}
	default:
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		return
	}
	c, err := parse(f, body)
	if err != nil {
		fail(w, f, Answer{Status: http.StatusBadRequest, Message: err.Error()})
		return
	}
	c.Header = r.Header.Clone()

	s.mu.Lock()
	c.N = len(s.calls)
	s.calls = append(s.calls, c)
	a := s.script(c)
	s.mu.Unlock()

	for name, values := range a.Header {
		w.Header()[name] = values
	}
	stream := c.Stream && !a.Whole
	if a.Fault == Overloaded && !stream {
		a.Status, a.Message = statusOverloaded, "overloaded"
	}
	hold := func() {
		if a.Wait == nil {
			return
		}
		select {
		case <-a.Wait:
		case <-r.Context().Done():
		case <-s.closed:
		}
	}
	switch {
	case a.Status != 0:
		hold()
		fail(w, f, a)
	case stream:
		(&streamer{w: w, gone: r.Context().Done(), closed: s.closed}).send(f, a, hold)
	default:
		hold()
		whole(w, f, a)
	}
}

// statusOverloaded is Anthropic's status for too much to do.
const statusOverloaded = 529

// format is a wire format.
type format interface {
	name() string
	// system and text find the texts of a request.
	system(request) string
	// reply is a whole answer; nil content for [Empty].
	reply(a Answer) any
	fault(a Answer) any
	// open, piece and close are the events of a stream; each has the name of
	// the event, possibly empty, and its data.
	open(a Answer) []event
	piece(text string) event
	close(a Answer) []event
	overloaded() event
}

type event struct {
	name string
	data any // a string is sent as it is
}

// request is a request of either format: they share most names.
type request struct {
	Model               string   `json:"model"`
	MaxTokens           int      `json:"max_tokens"`
	MaxCompletionTokens int      `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	Stream              bool     `json:"stream"`
	System              content  `json:"system"`
	Messages            []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
}

// content is a text, or a list of blocks that hold texts.
type content string

func (c *content) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(c))
	}
	var blocks []struct{ Text string }
	if err := json.Unmarshal(b, &blocks); err != nil {
		return err
	}
	for _, block := range blocks {
		*c += content(block.Text)
	}
	return nil
}

func parse(f format, body []byte) (Call, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return Call{}, err
	}
	c := Call{
		Provider: f.name(), Model: r.Model, System: f.system(r), Stream: r.Stream, Body: body,
		MaxTokens: max(r.MaxTokens, r.MaxCompletionTokens), Temperature: r.Temperature,
	}
	for _, m := range r.Messages {
		switch m.Role {
		case "user", "assistant":
			c.Messages = append(c.Messages, model.Message{Role: model.Role(m.Role), Text: string(m.Content)})
		case "system", "developer":
			if f.name() == model.ProviderAnthropic {
				return Call{}, fmt.Errorf("messages: unexpected role %q", m.Role)
			}
		default:
			return Call{}, fmt.Errorf("messages: unexpected role %q", m.Role)
		}
	}
	if len(c.Messages) == 0 {
		return Call{}, fmt.Errorf("messages: at least one message is required")
	}
	return c, nil
}

func fail(w http.ResponseWriter, f format, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.Status)
	_ = json.NewEncoder(w).Encode(f.fault(a))
}

// whole sends an answer that is not streamed.
func whole(w http.ResponseWriter, f format, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	body, err := json.Marshal(f.reply(a))
	if err != nil {
		panic(err)
	}
	switch a.Fault {
	case Malformed:
		body[len(body)/2] = 0
	case BrokenOff:
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case CutShort:
		body = body[:len(body)/2]
	case Endless, EndlessLine:
		for err == nil {
			_, err = w.Write(endless)
		}
		return
	}
	_, _ = w.Write(body)
}
