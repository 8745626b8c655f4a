package telemetry

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"github.com/cenkalti/backoff/v5"

	"ocaptain/fleet/retry"
)

// Exporter sends data to a collector by OTLP over HTTP, as protobuf.
type Exporter struct {
	endpoint string
	headers  http.Header
	client   http.Client
	patience time.Duration // how long it retries while a collector does not answer
}

// NewExporter returns an Exporter for an endpoint such as http://127.0.0.1:4318, to which the path of each signal is added. The values
// of headers are secrets, and no error contains them.
func NewExporter(endpoint string, headers http.Header) (*Exporter, error) {
	if err := CheckEndpoint(endpoint); err != nil {
		return nil, fmt.Errorf("the endpoint %w", err)
	}
	return &Exporter{
		endpoint: strings.TrimSuffix(endpoint, "/"),
		headers:  headers,
		client: http.Client{
			Timeout:       30 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // no other server must get the headers
		},
		patience: time.Minute,
	}, nil
}

// CheckEndpoint returns an error that says what an endpoint must be, if it is invalid. The error repeats no part of
// it.
func CheckEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("must be a URL like https://collector.example:4318")
	case u.User != nil:
		return errors.New("must not hold a name or a password: take them out")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("must have no query and no fragment")
	}
	return nil
}

// RefusalError is the error of an export when the collector refused a part of it for good.
type RefusalError struct {
	Lines  [3]int   // by Signal: how many lines were refused, or were not sent after that
	Causes [3]error // by Signal: why the first line was refused
}

func (r *RefusalError) Error() string {
	var all []string
	for signal, n := range r.Lines {
		if n > 0 {
			all = append(all, fmt.Sprintf("of %s %d exports were refused: %v", signals[signal].name, n, r.Causes[signal]))
		}
	}
	return strings.Join(all, "; ")
}

// ExportDir sends all lines of a store, the oldest first, and returns how many it has sent. If the collector refuses a line, it continues;
// if the collector refuses a whole signal, it continues with the other signals. Its error is then a *RefusalError. It ends when the
// collector does not answer.
func (x *Exporter) ExportDir(ctx context.Context, dir string) (sent int, err error) {
	files, err := listLines(dir)
	if err != nil {
		return 0, err
	}
	var refused RefusalError
	var closed [3]bool // signals that the collector does not accept
	for _, n := range files {
		for line, err := range readLines(lines(dir, n), 0) {
			if err != nil {
				return sent, err
			}
			signal, ok := lineSignal(line)
			switch {
			case !ok:
				continue
			case closed[signal]:
				refused.Lines[signal]++
				continue
			}
			ok, err := x.exportLine(ctx, signal, line)
			var no *answerError
			switch {
			case errors.As(err, &no) && no.isFinal():
				refused.Lines[signal]++
				refused.Causes[signal] = cmp.Or(refused.Causes[signal], err)
				closed[signal] = no.isOfSignal()
			case err != nil:
				return sent, err
			case ok:
				sent++
			}
		}
	}
	if refused.Lines != [3]int{} {
		return sent, &refused
	}
	return sent, nil
}

// exportLine sends one line, and reports whether it contained an export.
func (x *Exporter) exportLine(ctx context.Context, signal Signal, line []byte) (bool, error) {
	body, ok, err := request(line)
	if err != nil || !ok {
		return false, err
	}
	_, err = backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, x.post(ctx, signals[signal].path, body) },
		backoff.WithBackOff(retry.Doubling(100*time.Millisecond, 10*time.Second)), backoff.WithMaxElapsedTime(x.patience))
	return err == nil, err
}

// request returns the body of a request for a line, without the attributes that only the store needs. ok is false if the line is no
// export.
func request(line []byte) (body []byte, ok bool, err error) {
	e, ok, err := decodeLine(line)
	if err != nil || !ok {
		return nil, false, nil //nolint:nilerr // the disk was damaged there
	}
	if !e.empty() {
		usage.Unstamp(e.resource()) // otherwise each export would have a different resource
	}
	body, err = e.proto()
	return body, err == nil, err
}

// post sends a body once. Its error is permanent if a retry is useless.
func (x *Exporter) post(ctx context.Context, path string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.endpoint+path, bytes.NewReader(body))
	if err != nil {
		return backoff.Permanent(err)
	}
	req.Header = x.headers.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	resp, err := x.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be reused
	if resp.StatusCode/100 == 2 {
		return nil
	}
	no := &answerError{x.endpoint + path, resp.StatusCode}
	if no.isFinal() {
		return backoff.Permanent(no)
	}
	if wait, e := strconv.Atoi(resp.Header.Get("Retry-After")); e == nil && wait > 0 && wait <= 60 {
		return fmt.Errorf("%w: %w", no, &backoff.RetryAfterError{Duration: time.Duration(wait) * time.Second})
	}
	return no
}

// answerError is the answer of a collector that did not accept the data.
type answerError struct {
	url    string
	status int
}

func (e *answerError) Error() string {
	return fmt.Sprintf("the collector at %s answered %d %s", e.url, e.status, http.StatusText(e.status))
}

// isFinal reports whether a retry is useless.
func (e *answerError) isFinal() bool {
	switch e.status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	return true
}

// isOfSignal reports whether the collector refuses all data of the signal, and not only this body.
func (e *answerError) isOfSignal() bool {
	return e.status != http.StatusBadRequest && e.status != http.StatusRequestEntityTooLarge && e.status != http.StatusUnprocessableEntity
}
