package build

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gloveboxhq/glovebox/internal/dialguard"
	"github.com/gloveboxhq/glovebox/internal/lock"
)

// A remote is a file named in a lock: its location and its required contents.
type remote struct {
	name string // for people
	url  string // http or https
	path string // of a file of this machine, instead of url
	hash Hash
	size int64 // 0 where the lock does not say it
}

// Bounds of what is fetched.
const (
	maxFile  = 2 << 30  // one package
	maxPage  = 64 << 20 // one page of an index
	parallel = 4        // downloads at a time
	attempts = 3
	silence  = 60 * time.Second
)

// Progress is how far a build is.
type Progress struct {
	// Step is the current activity, such as "fetch".
	Step string
	// Name is the package.
	Name string
	// Done and Total are bytes; Total is 0 if unknown.
	Done, Total int64
}

// fetcher downloads files into a directory, each under its hash. Existing files
// are verified again whenever opened.
type fetcher struct {
	dir      string
	client   *http.Client
	idle     time.Duration // without a byte, after which a server is given up
	progress func(Progress)
	mu       sync.Mutex // held while progress is called
}

func newFetcher(dir string, progress func(Progress)) *fetcher {
	// A lock, often written by others, may name a mirror within the network.
	dialer := &net.Dialer{Timeout: 30 * time.Second, Control: dialguard.NamedOnly}
	return &fetcher{dir: dir, idle: silence, progress: progress, client: &http.Client{
		CheckRedirect: sameHost,
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dialer.DialContext,
			TLSHandshakeTimeout:   30 * time.Second,
			ResponseHeaderTimeout: silence,
			MaxIdleConnsPerHost:   parallel,
			IdleConnTimeout:       10 * time.Second,
			// The hash covers the bytes as sent.
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
		},
	}}
}

// close ends idle connections.
func (f *fetcher) close() { f.client.CloseIdleConnections() }

func (f *fetcher) report(p Progress) {
	if f.progress == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.progress(p)
}

// sameHost follows redirects within one host, and never from https to http: the
// URLs of a lock are reviewed, a server's answers are not.
func sameHost(to *http.Request, via []*http.Request) error {
	from := via[0].URL
	switch {
	case len(via) > 5:
		return errors.New("more than 5 redirects")
	case to.URL.Hostname() != from.Hostname():
		return fmt.Errorf("%s sends us to another host, %s: name that URL in the lock if it is right", from.Host, to.URL.Host)
	case from.Scheme == "https" && to.URL.Scheme != "https":
		return fmt.Errorf("%s sends us from https to %s", from.Host, to.URL.Scheme)
	}
	return nil
}

// all fetches files, a few at a time, for get to find.
func (f *fetcher) all(ctx context.Context, files []remote) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	turn := make(chan struct{}, parallel)
	var wg sync.WaitGroup
	for _, r := range files {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-turn }()
			file, err := f.get(ctx, r)
			if err != nil {
				cancel(err) // the first one is the reason
				return
			}
			file.Close()
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// get returns the file with the hash, fetching it if need be. The caller closes
// the file.
func (f *fetcher) get(ctx context.Context, r remote) (*os.File, error) {
	file, err := f.fetched(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	return file, nil
}

func (f *fetcher) fetched(ctx context.Context, r remote) (*os.File, error) {
	if r.hash.sum() == nil {
		return nil, errors.New("nothing says what it must be: no hash")
	}
	at := filepath.Join(f.dir, r.hash.Algorithm+"-"+r.hash.Hex)
	file, err := openVerified(at, r)
	if err == nil || !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errHash) {
		return file, err
	}
	// One process fetches; the others find it then.
	held, err := alone(ctx, at+".lock")
	if err != nil {
		return nil, err
	}
	defer held.Close()
	if file, err := openVerified(at, r); err == nil {
		return file, nil
	}
	part := at + ".part"
	_, begun := os.Stat(part)
	if file, err = f.fill(ctx, part, r); errors.Is(err, errHash) && begun == nil {
		// The remains of an earlier attempt may be at fault.
		file, err = f.fill(ctx, part, r)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Rename(part, at); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// alone locks a file, which stays: removing it could remove another's lock.
func alone(ctx context.Context, name string) (*os.File, error) {
	f, err := lock.Open(name)
	if err != nil {
		return nil, err
	}
	for {
		ok, err := lock.Try(f, lock.Exclusive)
		if err != nil {
			f.Close()
			return nil, err
		}
		if ok {
			return f, nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		}
	}
}

// fill brings the file to part and verifies it. A wrong file does not stay.
func (f *fetcher) fill(ctx context.Context, part string, r remote) (*os.File, error) {
	bring := f.download
	if r.path != "" {
		bring = f.copy
	}
	if err := bring(ctx, part, r); err != nil {
		return nil, err
	}
	file, err := openVerified(part, r)
	if err != nil {
		os.Remove(part)
	}
	return file, err
}

// errHash means that content differs from the lock's hash.
var errHash = errors.New("its content is not what the lock pins")

// openVerified opens a file and reads it through: the caller then reads from
// the same open file.
func openVerified(name string, r remote) (*os.File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	sum := r.hash.sum()
	n, err := io.Copy(sum, file)
	if err == nil && r.size > 0 && n != r.size {
		err = fmt.Errorf("%w: %d bytes where it says %d", errHash, n, r.size)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); err == nil && got != r.hash.Hex {
		err = fmt.Errorf("%w: %s where it says %s", errHash, r.hash.Algorithm+":"+got, r.hash)
	}
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// copy brings a file of this machine.
func (f *fetcher) copy(ctx context.Context, part string, r remote) error {
	from, err := os.Open(r.path)
	if err != nil {
		return err
	}
	defer from.Close()
	if info, err := from.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is no regular file", r.path))
	}
	to, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	if n, err := io.Copy(to, io.LimitReader(from, maxFile+1)); err != nil || n > maxFile {
		return errors.Join(err, fmt.Errorf("%s has more than %d bytes", r.path, maxFile))
	}
	return to.Close()
}

// download gets a file from its server, from the end of an earlier attempt on.
func (f *fetcher) download(ctx context.Context, part string, r remote) error {
	if err := fetchable(r.url); err != nil {
		return err
	}
	var failed error
	for range attempts {
		var final bool
		if final, failed = f.attempt(ctx, part, r); failed == nil || final || ctx.Err() != nil {
			break
		}
	}
	if failed != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return failed
}

// fetchable fails for a URL that must not be fetched.
func fetchable(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return err
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("%.200q cannot be fetched: https and http are", s)
	case u.User != nil:
		return fmt.Errorf("the URL on %s holds credentials: a lock is no place for them", u.Host)
	}
	return nil
}

// attempt tries a download once, and reports whether a further attempt is
// useless.
func (f *fetcher) attempt(ctx context.Context, part string, r remote) (final bool, err error) {
	ctx, watch := f.watchdog(ctx)
	defer watch.stop()
	to, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return true, err
	}
	defer to.Close()
	have, err := to.Seek(0, io.SeekEnd)
	if err != nil {
		return true, err
	}
	if r.size > 0 && have == r.size {
		return true, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return true, err
	}
	req.Header.Set("User-Agent", "glovebox")
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return false, errors.Join(err, watch.cause())
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusPartialContent && have > 0:
	case resp.StatusCode == http.StatusOK, resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		if err := to.Truncate(0); err != nil {
			return true, err
		}
		if have = 0; resp.StatusCode != http.StatusOK {
			return false, fmt.Errorf("%s: %s", r.url, resp.Status)
		}
	default:
		return resp.StatusCode < 500 && resp.StatusCode != http.StatusTooManyRequests, fmt.Errorf("%s: %s", r.url, resp.Status)
	}
	if _, err := to.Seek(have, io.SeekStart); err != nil {
		return true, err
	}
	limit := int64(maxFile)
	if r.size > 0 {
		limit = r.size
	}
	total := r.size
	if total == 0 && resp.ContentLength > 0 {
		total = have + resp.ContentLength
	}
	buf := make([]byte, 128<<10)
	for {
		n, err := resp.Body.Read(buf)
		watch.seen()
		if have += int64(n); have > limit {
			to.Truncate(0)
			return true, fmt.Errorf("%s sends more than %d bytes", r.url, limit)
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return true, err
		}
		f.report(Progress{Step: "fetch", Name: r.name, Done: have, Total: total})
		switch {
		case err == io.EOF:
			return false, to.Close()
		case err != nil:
			return false, fmt.Errorf("%s: %w", r.url, errors.Join(err, watch.cause()))
		}
	}
}

// page returns a page of an index, vouched for by its server alone.
func (f *fetcher) page(ctx context.Context, at string) ([]byte, error) {
	if err := fetchable(at); err != nil {
		return nil, err
	}
	ctx, watch := f.watchdog(ctx)
	defer watch.stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "glovebox")
	req.Header.Set("Accept", "application/vnd.pypi.simple.v1+json, text/html;q=0.5")
	resp, err := f.client.Do(req)
	if err != nil {
		return nil, errors.Join(err, watch.cause())
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", at, resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(watch.reader(resp.Body), maxPage+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, errors.Join(err, watch.cause()))
	}
	if len(b) > maxPage {
		return nil, fmt.Errorf("%s has more than %d bytes", at, maxPage)
	}
	return b, nil
}

// A watch ends a request whose server has fallen silent.
type watch struct {
	idle  time.Duration
	timer *time.Timer
	ctx   context.Context
	end   context.CancelCauseFunc
}

var errSilent = errors.New("the server has fallen silent")

func (f *fetcher) watchdog(ctx context.Context) (context.Context, *watch) {
	w := &watch{idle: f.idle}
	w.ctx, w.end = context.WithCancelCause(ctx)
	w.timer = time.AfterFunc(w.idle, func() { w.end(errSilent) })
	return w.ctx, w
}

func (w *watch) seen() { w.timer.Reset(w.idle) }

func (w *watch) stop() {
	w.timer.Stop()
	w.end(nil)
}

// cause is errSilent if silence ended the request.
func (w *watch) cause() error {
	if err := context.Cause(w.ctx); errors.Is(err, errSilent) {
		return err
	}
	return nil
}

func (w *watch) reader(r io.Reader) io.Reader { return watched{r, w} }

type watched struct {
	r io.Reader
	w *watch
}

func (r watched) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.w.seen()
	return n, err
}
