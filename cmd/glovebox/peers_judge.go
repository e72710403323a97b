package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/gloveboxhq/glovebox/bench"
)

// Limits of a program in go-judge, which refuses one without them; they are
// those of ours, and far away.
const (
	judgeTime   = 10_000_000_000 // nanoseconds
	judgeMemory = 512 << 20
	judgeProcs  = 64
	judgeOutput = 10 << 10
	judgeAnswer = 1 << 20 // the most that is read
)

// goJudge times the interpreter in a go-judge server, by its HTTP API: one
// request to /run for each program. The server must show the interpreter to its
// programs (its mount.yaml).
func goJudge(server string, args []string) (bench.Contestant, error) {
	at, err := judgeURL(server)
	if err != nil {
		return bench.Contestant{}, err
	}
	type file struct {
		Content *string `json:"content,omitempty"`
		Name    string  `json:"name,omitempty"`
		Max     int     `json:"max,omitempty"`
	}
	type command struct {
		Args        []string `json:"args"`
		Env         []string `json:"env"`
		Files       []file   `json:"files"`
		CPULimit    int64    `json:"cpuLimit"`
		ClockLimit  int64    `json:"clockLimit"`
		MemoryLimit int64    `json:"memoryLimit"`
		ProcLimit   int64    `json:"procLimit"`
	}
	ask, err := json.Marshal(map[string]any{"cmd": []command{{
		Args: args, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"},
		Files:    []file{{Content: new(string)}, {Name: "stdout", Max: judgeOutput}, {Name: "stderr", Max: judgeOutput}},
		CPULimit: judgeTime, ClockLimit: judgeTime, MemoryLimit: judgeMemory, ProcLimit: judgeProcs,
	}}})
	if err != nil {
		return bench.Contestant{}, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchCrowd}}
	to := at.JoinPath("run").String()
	return bench.Contestant{Name: "go-judge", How: fmt.Sprintf("a request to go-judge at %s of %q", to, args), Do: func(ctx context.Context) (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(ask))
		if err != nil {
			return false, err
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(io.LimitReader(resp.Body, judgeAnswer))
		if err != nil {
			return false, err
		}
		if resp.StatusCode != http.StatusOK {
			return false, fmt.Errorf("%s: %.200q", resp.Status, text)
		}
		return false, judged(text)
	}}, nil
}

func judgeURL(server string) (*url.URL, error) {
	at, err := url.Parse(server)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return nil, usagef("--go-judge %s: it is not a URL such as http://127.0.0.1:5050", server)
	}
	return at, nil
}

// judged reads the server's answer.
func judged(text []byte) error {
	var answers []struct {
		Status string            `json:"status"`
		Error  string            `json:"error"`
		Files  map[string]string `json:"files"`
	}
	if err := json.Unmarshal(text, &answers); err != nil {
		return fmt.Errorf("its answer: %w", err)
	}
	if len(answers) != 1 {
		return errors.New("it did not answer for one program")
	}
	if a := answers[0]; a.Status != "Accepted" {
		return fmt.Errorf("%.100q: %.200q", a.Status, a.Error+a.Files["stderr"])
	}
	return errPrinted([]byte(answers[0].Files["stdout"]))
}
