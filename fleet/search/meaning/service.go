package meaning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"ocaptain/fleet/webapi"
)

// Service is a service that makes vectors of texts for money.
type Service struct {
	Name  string // its name in the settings
	Key   string // the environment variable with its key
	At    string // the environment variable with another URL, which its own clients read too
	url   string
	model string
}

// Services are all services that the captain can choose. Sources: platform.openai.com/docs/api-reference/embeddings,
// docs.voyageai.com/reference/embeddings-api.
var Services = []Service{
	{"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", "text-embedding-3-small"},
	{"voyage", "VOYAGE_API_KEY", "VOYAGE_BASE_URL", "https://api.voyageai.com/v1", "voyage-code-3"},
}

// ServiceOf returns the service with that name.
func ServiceOf(name string) (Service, bool) {
	i := slices.IndexFunc(Services, func(s Service) bool { return s.Name == name })
	if i < 0 {
		return Service{}, false
	}
	return Services[i], true
}

// Limits of a request.
const (
	MaxTexts = 32      // texts per request
	MaxText  = 6 << 10 // bytes of a text that are used
)

const (
	callTime  = time.Minute
	answerMax = 4 << 20
	attempts  = 4
)

var patience = webapi.Patience{Least: 500 * time.Millisecond, Most: 20 * time.Second}

// ErrKey means that a service does not accept the key.
var ErrKey = errors.New("the key is refused")

// Client sends requests to a service.
type Client struct {
	service Service
	key     string
	url     string
	http    *http.Client
}

// NewClient returns a client. address is another URL of the service, "" for its own; a URL without TLS must be on this machine.
func NewClient(s Service, key, address string) (*Client, error) {
	if address == "" {
		address = s.url
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("%s: want an address like %s", s.At, s.url)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return nil, fmt.Errorf("%s: the key would be sent to %s in the clear; use https", s.At, u.Host)
	}
	return &Client{s, key, u.JoinPath("embeddings").String(), &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key must not be sent elsewhere
	}}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Model returns the name of the model. Vectors of different models cannot be compared.
func (c *Client) Model() string { return c.service.Name + "/" + c.service.model }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Vectors returns a vector of each text, at most MaxTexts, and how many tokens the service counted. questions says that the texts are
// queries, for which some services make other vectors.
func (c *Client) Vectors(ctx context.Context, texts []string, questions bool) (all []Vector, tokens int, err error) {
	body, err := json.Marshal(c.request(texts, questions))
	if err != nil {
		return nil, 0, err
	}
	for n := 1; ; n++ {
		all, tokens, err = c.attempt(ctx, body, len(texts))
		var again *againError
		if err == nil || !errors.As(err, &again) || n == attempts {
			break
		}
		if e := patience.Pause(ctx, n, again.after); e != nil {
			return nil, tokens, fmt.Errorf("%s: %w; %w", c.service.Name, err, e)
		}
	}
	if err != nil {
		return nil, tokens, fmt.Errorf("%s: %w", c.service.Name, err)
	}
	return all, tokens, nil
}

type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`       // for OpenAI
	Output     int      `json:"output_dimension,omitempty"` // for Voyage
	Type       string   `json:"input_type,omitempty"`
}

func (c *Client) request(texts []string, questions bool) request {
	r := request{Model: c.service.model, Input: texts, Dimensions: Size}
	if c.service.Name == "voyage" {
		if r.Dimensions, r.Output, r.Type = 0, Size, "document"; questions {
			r.Type = "query"
		}
	}
	return r
}

// againError is an error after which the same request may succeed.
type againError struct {
	err   error
	after time.Duration
}

func (e *againError) Error() string { return e.err.Error() }
func (e *againError) Unwrap() error { return e.err }

func (c *Client) attempt(ctx context.Context, body []byte, want int) ([]Vector, int, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, 0, &againError{err: err}
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(answer.Body, answerMax))
	switch {
	case err != nil:
		return nil, 0, &againError{err: err}
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return nil, 0, ErrKey
	case answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= 500:
		return nil, 0, &againError{fmt.Errorf("it answers %s", answer.Status), webapi.RetryAfter(0, answer.Header.Get("Retry-After"))}
	case answer.StatusCode != http.StatusOK:
		return nil, 0, fmt.Errorf("it answers %s: %s", answer.Status, webapi.ShortLine(string(raw), 200))
	}
	return parse(raw, want)
}

// parse parses the answer to a request for want vectors.
func parse(raw []byte, want int) ([]Vector, int, error) {
	var is struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Total int `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(raw, &is); err != nil {
		return nil, 0, fmt.Errorf("its answer: %w", err)
	}
	tokens := max(0, is.Usage.Total)
	if len(is.Data) != want {
		return nil, tokens, fmt.Errorf("it answers with %d vectors of %d", len(is.Data), want)
	}
	all, have := make([]Vector, want), make([]bool, want)
	for _, d := range is.Data {
		if d.Index < 0 || d.Index >= want || have[d.Index] {
			return nil, tokens, fmt.Errorf("it answers with a vector of text %d of %d", d.Index, want)
		}
		v, err := NewVector(d.Embedding)
		if err != nil {
			return nil, tokens, fmt.Errorf("it answers with %w", err)
		}
		all[d.Index], have[d.Index] = v, true
	}
	return all, tokens, nil
}
