package sprites

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
)

// call is one request to the REST API.
type call struct {
	method, path string
	query        url.Values
	json         any           // body to send as JSON, unless nil
	file         io.ReadSeeker // body to send instead, of size bytes
	size         int64
	once         bool // the caller repeats it if necessary
	events       bool // the answer is a stream of events, to be read to its end
	out          any  // filled from the answer, unless nil
}

// Limits and timeouts of calls.
const (
	answerMax = 8 << 20         // bytes of the longest answer
	attempts  = 6               // of a call that may be repeated
	callTime  = 2 * time.Minute // for one attempt; making a sprite may take that long
	fileTime  = 5 * time.Minute // additional time for a call that sends a file
)

var patience = webapi.Patience{Least: 200 * time.Millisecond, Most: 10 * time.Second}

// do makes a call, and repeats it if that can help: always when the service asks for patience, and a few times when
// the service or the network fails.
func (p *Provider) do(ctx context.Context, c call) error {
	for n := 1; ; n++ {
		err := p.attempt(ctx, c)
		var later *provider.Temporary
		if err == nil || c.once || !errors.As(err, &later) || n >= attempts && !isBusy(err) {
			return err
		}
		if e := patience.Pause(ctx, n, later.After); e != nil {
			return errors.Join(e, err)
		}
	}
}

// attempt makes a call once.
func (p *Provider) attempt(ctx context.Context, c call) error {
	limit := callTime
	if c.file != nil {
		limit += fileTime
	}
	own, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	credentials, request, err := p.request(own, c)
	if err != nil {
		return err
	}
	err = func() error {
		client := p.client
		if credentials.Command != "" {
			client = &http.Client{Transport: byCommand{credentials}, CheckRedirect: client.CheckRedirect}
		}
		answer, err := client.Do(request)
		if err != nil {
			return broken(err)
		}
		defer answer.Body.Close()
		body := io.LimitReader(answer.Body, answerMax)
		if answer.StatusCode < 200 || answer.StatusCode > 299 {
			return refusal(answer, body)
		}
		if c.events {
			return readEvents(body)
		}
		raw, err := io.ReadAll(body)
		if err != nil {
			return broken(err)
		}
		if c.out == nil {
			return nil
		}
		if err := json.Unmarshal(raw, c.out); err != nil {
			return fmt.Errorf("the answer of sprites.dev makes no sense: %w", err)
		}
		return nil
	}()
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("sprites.dev: %w", ctx.Err())
	}
	return withoutToken(err, credentials.Token)
}

// request prepares a call. The token is sent in a header, never in the URL.
func (p *Provider) request(ctx context.Context, c call) (Credentials, *http.Request, error) {
	credentials, address, err := p.address(c.path, c.query)
	if err != nil {
		return credentials, nil, err
	}
	var body io.Reader
	kind := "application/json"
	switch {
	case c.file != nil:
		if _, err := c.file.Seek(0, io.SeekStart); err != nil {
			return credentials, nil, err
		}
		body, kind = io.NopCloser(io.LimitReader(c.file, c.size)), "application/octet-stream"
	case c.json != nil:
		raw, err := json.Marshal(c.json)
		if err != nil {
			return credentials, nil, err
		}
		body = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, address.String(), body)
	if err != nil {
		return credentials, nil, err
	}
	if c.file != nil {
		request.ContentLength = c.size
	}
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	if credentials.Token != "" {
		request.Header.Set("Authorization", "Bearer "+credentials.Token)
	}
	return credentials, request, nil
}

func (p *Provider) address(path string, query url.Values) (Credentials, *url.URL, error) {
	credentials, err := p.options.Credentials()
	if err != nil {
		return credentials, nil, err
	}
	if err := credentials.Check(); err != nil {
		return credentials, nil, err
	}
	u, err := credentials.baseURL()
	if err != nil {
		return credentials, nil, err
	}
	u.Path, u.RawQuery = u.Path+path, query.Encode()
	return credentials, u, nil
}

// readEvents reads the answer to the start of a service, to its end.
func readEvents(r io.Reader) error {
	lines := json.NewDecoder(r)
	for {
		var event struct {
			Type string `json:"type"`
			Data string `json:"data"`
		}
		if err := lines.Decode(&event); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return broken(err)
		}
		if event.Type == "error" {
			return fmt.Errorf("sprites.dev: %s", webapi.ShortLine(event.Data, 300))
		}
	}
}
