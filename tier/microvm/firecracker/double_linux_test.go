package firecracker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test's own executable, under other names, is a double of Firecracker and of
// its jailer. A word after the name, such as firecracker-old, is what is wrong
// with it.
func TestMain(m *testing.M) {
	name, fault, _ := strings.Cut(filepath.Base(os.Args[0]), "-")
	switch name {
	case "firecracker":
		doubleFirecracker(fault)
	case "jailer":
		doubleJailer()
	case "host":
		doubleHost()
	default:
		os.Exit(m.Run())
	}
}

func fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(1)
}

// double is a Firecracker as its API is described since version 1.8: it refuses
// what that refuses, opens the files that it is told of with the rights that it
// has, and its guest listens on one port and says everything back.
type double struct {
	fault string

	mu       sync.Mutex
	state    string
	config   map[string]json.RawMessage // by path
	log      *os.File
	asked    *os.File
	guest    net.Listener
	conns    []net.Conn
	attempts int
}

// flags are the arguments that Firecracker knows, and whether they have a value.
func flags(args []string, known map[string]bool) (values map[string][]string, rest []string) {
	values = map[string][]string{}
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return values, args[i+1:]
		}
		name, ok := strings.CutPrefix(args[i], "--")
		value, isKnown := known[name]
		switch {
		case !ok || !isKnown:
			fatal("Arguments parsing error: Found argument", args[i], "which wasn't expected")
		case !value:
			values[name] = append(values[name], "")
		case i+1 == len(args):
			fatal("no value of", args[i])
		default:
			i++
			values[name] = append(values[name], args[i])
		}
	}
	return values, nil
}

var ids = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

func doubleFirecracker(fault string) {
	values, _ := flags(os.Args[1:], map[string]bool{
		"id": true, "api-sock": true, "start-time-us": true, "start-time-cpu-us": true, "parent-cpu-time-us": true, "no-seccomp": false,
	})
	if values["no-seccomp"] != nil || len(os.Environ()) != 0 || !ids.MatchString(strings.Join(values["id"], " ")) {
		fatal("started with", os.Args, os.Environ())
	}
	d := &double{fault: fault, state: "Not started", config: map[string]json.RawMessage{}}
	var err error
	if d.asked, err = os.OpenFile("requests", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err != nil {
		fatal(err)
	}
	socket := values["api-sock"][0]
	switch fault {
	case "mute": // no socket
		time.Sleep(time.Hour)
	case "dies":
		fatal("thread panicked at boom")
	case "link": // a way to another's socket
		if err := os.Symlink("other.sock", socket); err != nil {
			fatal(err)
		}
		socket = "other.sock"
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		fatal(err)
	}
	if fault == "hang" || fault == "garbage" || fault == "headers" {
		for {
			c, err := l.Accept()
			if err != nil {
				fatal(err)
			}
			go func() {
				switch fault {
				case "garbage":
					io.WriteString(c, "220 mail.example.org ESMTP\r\n")
				case "headers":
					for err = error(nil); err == nil; {
						_, err = io.WriteString(c, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X-Header: value\r\n", 4096))
					}
				}
				io.Copy(io.Discard, c)
				c.Close()
			}()
		}
	}
	fatal(http.Serve(l, d))
}

// refusal is an error of the API.
type refusal string

func (r refusal) Error() string { return string(r) }

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	line, _ := json.Marshal(request{r.Method, r.URL.Path, r.Header.Get("Accept"), r.Header.Get("Content-Type"), r.TransferEncoding, string(body)})
	d.asked.Write(append(line, '\n'))
	reply, err := d.answer(r.Method, r.URL.Path, body)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(map[string]string{"fault_message": err.Error()})
	case reply == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		json.NewEncoder(w).Encode(reply)
	}
}

// request is one that the double was asked.
type request struct {
	Method, Path, Accept, ContentType string
	Encoding                          []string
	Body                              string
}

const (
	notBefore = refusal("The requested operation is not supported before starting the microVM.")
	notAfter  = refusal("The requested operation is not supported after starting the microVM.")
)

func (d *double) answer(method, path string, body []byte) (any, error) {
	begun := d.state != "Not started"
	switch what := method + " " + path; what {
	case "GET /version":
		version := "1.8.0"
		switch d.fault {
		case "old":
			version = "1.7.0"
		case "giant":
			version = strings.Repeat("1", 10<<20)
		}
		return map[string]string{"firecracker_version": version}, nil
	case "GET /":
		state := d.state
		if d.fault == "asleep" {
			state = "Paused"
		}
		return map[string]string{"app_name": "Firecracker", "id": "x", "state": state, "vmm_version": "1.8.0"}, nil
	case "PUT /logger":
		if begun {
			return nil, notAfter
		}
		var l struct {
			LogPath       string `json:"log_path"`
			Level         string `json:"level"`
			ShowLevel     bool   `json:"show_level"`
			ShowLogOrigin bool   `json:"show_log_origin"`
			Module        string `json:"module"`
		}
		if err := strict(body, &l); err != nil {
			return nil, err
		}
		if !slices.Contains([]string{"Error", "Warning", "Info", "Debug", "Trace", "Off"}, l.Level) {
			return nil, refusal("unknown variant " + l.Level)
		}
		var err error
		if d.log, err = os.OpenFile(l.LogPath, os.O_RDWR|unix.O_NONBLOCK, 0); err == nil {
			fmt.Fprintln(d.log, "the double's log")
		}
		return nil, err
	case "PUT /machine-config":
		var m struct {
			VCPUs       int    `json:"vcpu_count"`
			Memory      int    `json:"mem_size_mib"`
			SMT         bool   `json:"smt"`
			CPUTemplate string `json:"cpu_template"`
			Track       bool   `json:"track_dirty_pages"`
			HugePages   string `json:"huge_pages"`
		}
		if err := strict(body, &m, "vcpu_count", "mem_size_mib"); err != nil {
			return nil, err
		}
		if m.VCPUs < 1 || m.VCPUs > 32 || m.Memory == 0 {
			return nil, refusal("The vCPU number is invalid!")
		}
		return nil, d.set(path, body)
	case "PUT /boot-source":
		var b struct {
			Kernel string `json:"kernel_image_path"`
			Initrd string `json:"initrd_path"`
			Args   string `json:"boot_args"`
		}
		if err := strict(body, &b, "kernel_image_path"); err != nil {
			return nil, err
		}
		if d.fault == "refuses" {
			return nil, refusal("The kernel file cannot be opened:\nNo such file or directory (os error 2)")
		}
		kernel, err := os.ReadFile(b.Kernel)
		if err != nil || !bytes.HasPrefix(kernel, []byte("\x7fELF")) {
			return nil, refusal(fmt.Sprint("The kernel file cannot be opened: ", err))
		}
		if _, err := os.ReadFile(b.Initrd); err != nil {
			return nil, refusal("The initrd file cannot be opened: " + err.Error())
		}
		return nil, d.set(path, body)
	case "PUT /drives/root":
		var v struct {
			ID       string `json:"drive_id"`
			Path     string `json:"path_on_host"`
			Root     *bool  `json:"is_root_device"`
			ReadOnly *bool  `json:"is_read_only"`
			Part     string `json:"partuuid"`
			Cache    string `json:"cache_type"`
			Engine   string `json:"io_engine"`
		}
		if err := strict(body, &v, "drive_id", "is_root_device"); err != nil {
			return nil, err
		}
		if v.ID != "root" {
			return nil, refusal("The id from the path does not match the id from the body!")
		}
		if err := openDrive(v.Path, v.ReadOnly != nil && *v.ReadOnly); err != nil {
			return nil, err
		}
		return nil, d.set(path, body)
	case "PUT /vsock":
		var v struct {
			CID  uint32 `json:"guest_cid"`
			Path string `json:"uds_path"`
		}
		if err := strict(body, &v, "guest_cid", "uds_path"); err != nil {
			return nil, err
		}
		if v.CID < 3 {
			return nil, refusal("invalid guest_cid")
		}
		if err := d.set(path, body); err != nil {
			return nil, err
		}
		return nil, d.listen(v.Path)
	case "PUT /entropy":
		var e struct {
			Limiter *struct{} `json:"rate_limiter"`
		}
		if err := strict(body, &e); err != nil {
			return nil, err
		}
		return nil, d.set(path, body)
	case "PUT /actions":
		if begun {
			return nil, notAfter
		}
		if string(body) != `{"action_type":"InstanceStart"}` {
			return nil, refusal("unknown action")
		}
		if d.config["/boot-source"] == nil {
			return nil, refusal("Cannot start microvm without kernel configuration.")
		}
		d.state = "Running"
		fmt.Println("the guest's console")
		return nil, nil
	case "PATCH /vm":
		var v struct {
			State string `json:"state"`
		}
		if err := strict(body, &v, "state"); err != nil {
			return nil, err
		}
		switch {
		case !begun:
			return nil, notBefore
		case v.State == "Paused":
			d.state = "Paused"
		case v.State == "Resumed":
			d.state = "Running"
		default:
			return nil, refusal("unknown variant")
		}
		return nil, nil
	case "PUT /snapshot/create":
		return nil, d.create(body)
	case "PUT /snapshot/load":
		return nil, d.load(body)
	default:
		return nil, refusal("Invalid request method and/or path: " + what)
	}
}

// strict decodes a body as serde does with deny_unknown_fields.
func strict(body []byte, into any, required ...string) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return refusal("An error occurred when deserializing the json body of a request: " + err.Error())
	}
	var fields map[string]json.RawMessage
	json.Unmarshal(body, &fields)
	for _, name := range required {
		if fields[name] == nil {
			return refusal("missing field `" + name + "`")
		}
	}
	return nil
}

// set notes a part of the machine, before it runs.
func (d *double) set(path string, body []byte) error {
	if d.state != "Not started" {
		return notAfter
	}
	d.config[path] = body
	return nil
}

func openDrive(path string, readOnly bool) error {
	if !readOnly {
		return refusal("a drive that the guest may write")
	}
	f, err := os.Open(path)
	if err != nil {
		return refusal("Unable to create the virtio block device: " + err.Error())
	}
	return f.Close()
}

// listen serves the guest's vsock. A guest takes a while until it listens.
func (d *double) listen(path string) error {
	var err error
	if d.guest, err = net.Listen("unix", path); err != nil {
		return refusal("Cannot create backend for vsock device: " + err.Error())
	}
	go func() {
		for {
			c, err := d.guest.Accept()
			if err != nil {
				return
			}
			go d.serve(c)
		}
	}()
	return nil
}

func (d *double) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	line, _ := r.ReadString('\n')
	d.mu.Lock()
	d.attempts++
	ready := d.state == "Running" && d.attempts > 2 && d.fault != "deaf" && line == "CONNECT 1024\n"
	if ready {
		d.conns = append(d.conns, c)
	}
	d.mu.Unlock()
	if !ready {
		return
	}
	answer := "OK 1073741824\n"
	switch d.fault {
	case "liar":
		answer = "OK /etc/passwd\n"
	case "chatty":
		answer = strings.Repeat("OK", 1<<20)
	}
	// The guest may speak at once.
	io.WriteString(c, answer+"hello ")
	for {
		b, err := r.ReadByte()
		if err != nil {
			return
		}
		c.Write([]byte{b})
	}
}

func (d *double) create(body []byte) error {
	var s struct {
		Type   string `json:"snapshot_type"`
		State  string `json:"snapshot_path"`
		Memory string `json:"mem_file_path"`
	}
	if err := strict(body, &s, "snapshot_path", "mem_file_path"); err != nil {
		return err
	}
	if d.state == "Not started" {
		return notBefore
	}
	if d.state != "Paused" || s.Type != "Full" {
		return refusal("Cannot save the microVM state: it is " + d.state)
	}
	for _, c := range d.conns { // the vsock is reset
		c.Close()
	}
	state, _ := json.Marshal(d.config)
	switch d.fault {
	case "symlink":
		return os.Symlink("/etc/passwd", s.State)
	case "hardlink":
		return errors.Join(os.WriteFile(s.State, state, 0o600), os.Link(s.State, "kept"))
	case "pipe":
		return unix.Mkfifo(s.State, 0o600)
	case "none":
		return nil
	}
	return errors.Join(os.WriteFile(s.State, state, 0o600), os.WriteFile(s.Memory, []byte("memory"), 0o600))
}

func (d *double) load(body []byte) error {
	var s struct {
		State   string `json:"snapshot_path"`
		Backend *struct {
			Type string `json:"backend_type"`
			Path string `json:"backend_path"`
		} `json:"mem_backend"`
		Diff   bool `json:"enable_diff_snapshots"`
		Resume bool `json:"resume_vm"`
	}
	if err := strict(body, &s, "snapshot_path", "mem_backend"); err != nil {
		return err
	}
	if d.state != "Not started" || len(d.config) > 0 {
		return refusal("Loading a microVM snapshot not allowed after configuring boot-specific resources.")
	}
	state, err := os.ReadFile(s.State)
	if err != nil {
		return refusal("Failed to open the snapshot state file: " + err.Error())
	}
	if memory, err := os.ReadFile(s.Backend.Path); err != nil || string(memory) != "memory" || s.Backend.Type != "File" {
		return refusal(fmt.Sprint("Error loading the memory: ", err))
	}
	if f, err := os.OpenFile(s.Backend.Path, os.O_WRONLY, 0); err == nil && os.Geteuid() != 0 {
		f.Close()
		return refusal("the memory of the snapshot can be written")
	}
	if err := json.Unmarshal(state, &d.config); err != nil {
		return err
	}
	var v drive
	json.Unmarshal(d.config["/drives/root"], &v)
	if err := openDrive(v.Path, v.ReadOnly); err != nil {
		return err
	}
	var sock vsock
	json.Unmarshal(d.config["/vsock"], &sock)
	if err := d.listen(sock.Path); err != nil {
		return err
	}
	d.state = "Paused"
	if s.Resume {
		d.state = "Running"
	}
	return nil
}
