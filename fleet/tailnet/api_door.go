package tailnet

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet/turn"
)

// The scopes of an OAuth client that ocaptain needs.
const (
	scopeKeys    = "auth_keys"
	scopeDevices = "devices:core"
)

// scopeKey carries the scope that a call needs, in its context.
type scopeKey struct{}

const answerMax = 16 << 20 // bytes of the longest answer; a device takes about one thousand

// door lets requests in to the API, as tailscale.Auth. It fetches access tokens itself: the
// library's own way ignores a request's context and this program's transport. Each scope has its
// own token, so an error can name a missing scope while the other goes on.
type door struct {
	base   *http.Transport
	tokens string // address
	id     string
	secret string
	passes map[string]*pass // by scope
}

// pass is an access token for one scope.
type pass struct {
	turn turn.Turn // held while it is fetched

	mu    sync.Mutex
	token string
	until time.Time
	tags  []string // of the client, nil if it was not told
}

func newDoor(own Credentials, base *url.URL) *door {
	id, _, _ := splitSecret(own.Secret)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &door{
		base: transport, tokens: base.JoinPath("/api/v2/oauth/token").String(), id: id, secret: own.Secret,
		passes: map[string]*pass{scopeKeys: {turn: turn.New()}, scopeDevices: {turn: turn.New()}},
	}
}

// HTTPClient implements tailscale.Auth. It returns a redirection as the answer, and does not follow
// it.
func (d *door) HTTPClient(*http.Client, string) *http.Client {
	return &http.Client{Transport: d, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// RoundTrip makes a request with a token. What is no success is an error here, as the library
// takes a redirection for one and gives up on a message that is not JSON.
func (d *door) RoundTrip(r *http.Request) (*http.Response, error) {
	scope, _ := r.Context().Value(scopeKey{}).(string)
	if r.Body != nil {
		defer r.Body.Close()
	}
	for first := true; ; first = false {
		token, err := d.accessToken(r.Context(), scope)
		if err != nil {
			return nil, err
		}
		try := r.Clone(r.Context())
		if r.GetBody != nil {
			if try.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
		try.Header.Set("Authorization", "Bearer "+token)
		answer, err := d.send(try)
		if first && status(err) == http.StatusUnauthorized {
			d.passes[scope].dropToken(token) // it may have expired early
			continue
		}
		return answer, err
	}
}

// send makes a request once and bounds the answer.
func (d *door) send(r *http.Request) (*http.Response, error) {
	answer, err := d.base.RoundTrip(r)
	if err != nil {
		return nil, broken(err)
	}
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		defer answer.Body.Close()
		return nil, refused(answer)
	}
	answer.Body = &bounded{answer.Body, answerMax}
	return answer, nil
}

// bounded is a body that is an error where it becomes too long.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// accessToken returns the access token for a scope, a fresh one if need be.
func (d *door) accessToken(ctx context.Context, scope string) (string, error) {
	p := d.passes[scope]
	if token := p.validToken(); token != "" {
		return token, nil
	}
	if err := p.turn.Lock(ctx); err != nil {
		return "", err
	}
	defer p.turn.Unlock()
	if token := p.validToken(); token != "" {
		return token, nil // somebody else fetched it meanwhile
	}
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {scope}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.tokens, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	r.SetBasicAuth(d.id, d.secret)
	answer, err := d.send(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var got struct {
		Token   string  `json:"access_token"`
		Expires float64 `json:"expires_in"` // seconds
		Scope   string  `json:"scope"`
		Tags    string  `json:"tags"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<16)).Decode(&got); err != nil {
		return "", err
	}
	if got.Token == "" || len(got.Token) > 4096 || strings.ContainsFunc(got.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errNoToken
	}
	if has := strings.Fields(got.Scope); len(has) > 0 && !slices.Contains(has, scope) && !slices.Contains(has, "all") {
		return "", &ScopeError{Scope: scope}
	}
	p.keepToken(got.Token, time.Duration(min(max(got.Expires, 0), 3600)*float64(time.Second)), strings.Fields(got.Tags))
	return got.Token, nil
}

// early is how long before its end a token is not used any more.
const early = 10 * time.Second

func (p *pass) validToken() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(p.until) {
		return p.token
	}
	return ""
}

func (p *pass) keepToken(token string, life time.Duration, tags []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token, p.until, p.tags = token, time.Now().Add(life-early), tags
}

func (p *pass) dropToken(token string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == token {
		p.until = time.Time{}
	}
}

// clientTags returns the tags of the client, as far as it was told.
func (d *door) clientTags() []string {
	p := d.passes[scopeKeys]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tags
}
