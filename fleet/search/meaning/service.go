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

// Service makes vectors of texts, and costs.
type Service struct {
	Name  string // the word of the setting
	Key   string // the variable that its key is in
	At    string // the variable that names another address, as its own clients read it
	url   string
	model string
}

// Services are the services that the captain can choose.
// Sources: platform.openai.com/docs/api-reference/embeddings, docs.voyageai.com/reference/embeddings-api.
var Services = []Service{
	{"openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", "text-embedding-3-small"},
	{"voyage", "VOYAGE_API_KEY", "VOYAGE_BASE_URL", "https://api.voyageai.com/v1", "voyage-code-3"},
}

// ServiceOf returns the service of a name.
func ServiceOf(name string) (Service, bool) {
	i := slices.IndexFunc(Services, func(s Service) bool { return s.Name == name })
	if i < 0 {
		return Service{}, false
	}
	return Services[i], true
}

// The bounds of a request.
const (
	MaxTexts = 32      // texts
	MaxText  = 6 << 10 // bytes of a text that count
)

const (
	callTime  = time.Minute
	answerMax = 4 << 20
	attempts  = 4
)

var patience = webapi.Patience{Least: 500 * time.Millisecond, Most: 20 * time.Second}

// ErrKey says that a service does not take the key.
var ErrKey = errors.New("the key is refused")

// Client asks a service.
type Client struct {
	service Service
	key     string
	url     string
	http    *http.Client
}

// NewClient returns a client. address is another address of the service, "" for its own; without TLS it must be of this machine.
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
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key goes nowhere else
	}}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Model names the model. Vectors of different models do not compare.
func (c *Client) Model() string { return c.service.Name + "/" + c.service.model }

// Close ends its connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Vectors returns a vector of each text, MaxTexts at most, and how many tokens the service counts for that. It tells questions from what
// is searched, as some services make other vectors of them.
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
	Dimensions int      `json:"dimensions,omitempty"`       // as OpenAI calls it
	Output     int      `json:"output_dimension,omitempty"` // as Voyage does
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

// againError is a failure after which the same request may succeed.
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

// parse reads the answer to a request for so many vectors.
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
