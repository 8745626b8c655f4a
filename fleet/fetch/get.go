package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"ocaptain/fleet/webapi"
)

// Bounds of a download.
const (
	largest   = 512 << 20 // bytes of an archive
	mostTries = 4
	redirects = 5
)

// silence is how long a server may send nothing before the download fails. Tests shorten it.
var silence = 30 * time.Second

var patience = webapi.Patience{Least: 500 * time.Millisecond, Most: 10 * time.Second}

// passingError is an error that a retry may solve, after the pause that the server asks for.
type passingError struct {
	err   error
	after time.Duration
}

func (e *passingError) Error() string { return e.err.Error() }
func (e *passingError) Unwrap() error { return e.err }

// ErrAbsent means that a server does not have the requested file.
var ErrAbsent = errors.New("not found")

// absentError is the error of a server that does not have the file.
type absentError struct{ error }

func (e *absentError) Is(target error) bool { return target == ErrAbsent }

// client does not decode bodies, and follows no redirect from https to http.
var client = &http.Client{
	Transport: plainTransport(),
	CheckRedirect: func(r *http.Request, via []*http.Request) error {
		switch {
		case len(via) > redirects:
			return fmt.Errorf("more than %d redirects", redirects)
		case r.URL.Scheme != "https" && via[0].URL.Scheme == "https":
			return fmt.Errorf("it is redirected from https to %.20s", r.URL.Scheme)
		}
		return nil
	},
}

func plainTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() // uses the captain's proxy
	t.DisableCompression = true
	t.ResponseHeaderTimeout = time.Minute
	return t
}

// download downloads a URL, with retries. Each attempt starts from the beginning: it calls begin, which returns the
// writer for the content.
func download(ctx context.Context, from *url.URL, say func(done, all int64), begin func() (io.Writer, error)) error {
	for n := 1; ; n++ {
		to, err := begin()
		if err != nil {
			return err
		}
		err = downloadOnce(ctx, from, say, to)
		var passing *passingError
		if err == nil || n == mostTries || ctx.Err() != nil || !errors.As(err, &passing) {
			return err
		}
		if waited := patience.Pause(ctx, n, passing.after); waited != nil {
			return errors.Join(err, waited)
		}
	}
}

// downloadOnce makes one attempt. It fails when the server is silent for too long.
func downloadOnce(ctx context.Context, from *url.URL, say func(done, all int64), to io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), http.NoBody)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return &passingError{err: err}
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		err := fmt.Errorf("%s: %s", from.Redacted(), webapi.ShortLine(answer.Status, 100))
		if answer.StatusCode == http.StatusNotFound {
			return &absentError{err}
		}
		if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= 500 {
			return &passingError{err, webapi.RetryAfter(0, answer.Header.Get("Retry-After"))}
		}
		return err
	}
	watch := time.AfterFunc(silence, func() { cancel(fmt.Errorf("nothing came for %s", silence)) })
	defer watch.Stop()
	count := &counter{to: to, all: answer.ContentLength, say: say, more: func() { watch.Reset(silence) }}
	n, err := io.Copy(count, io.LimitReader(answer.Body, largest+1))
	switch {
	case count.failed != nil: // the disk has failed, not the server
		return count.failed
	case err != nil && context.Cause(ctx) != nil:
		return &passingError{err: fmt.Errorf("%s: %w", from.Redacted(), context.Cause(ctx))}
	case err != nil:
		return &passingError{err: fmt.Errorf("%s: %w", from.Redacted(), err)}
	case n > largest:
		return fmt.Errorf("%s: it is larger than %d MB", from.Redacted(), largest>>20)
	}
	return nil
}

// counter counts bytes and reports the count, at most once a second.
type counter struct {
	to        io.Writer
	done, all int64
	said      time.Time
	say       func(done, all int64)
	more      func()
	failed    error
}

func (c *counter) Write(p []byte) (int, error) {
	c.more()
	n, err := c.to.Write(p)
	c.done += int64(n)
	c.failed = err
	if c.say != nil && time.Since(c.said) >= time.Second {
		c.said = time.Now()
		c.say(c.done, c.all)
	}
	return n, err
}
