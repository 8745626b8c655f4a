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

// Scopes that ocaptain needs of an OAuth client.
const (
	scopeKeys    = "auth_keys"
	scopeDevices = "devices:core"
)

// scopeKey is the context key of the scope that a call needs.
type scopeKey struct{}

const answerMax = 16 << 20 // bytes of the longest answer; a device takes about a thousand

// door authorizes requests to the API. It implements tailscale.Auth. It gets access tokens itself, as the library
// would ignore a request's context and this program's transport. Each scope has its own token, so that an error can
// name a missing scope while calls with the other scope still work.
type door struct {
	base   *http.Transport
	tokens string // URL for getting tokens
	id     string
	secret string
	passes map[string]*pass // by scope
}

// pass is an access token for one scope.
type pass struct {
	turn turn.Turn // held while the token is requested

	mu    sync.Mutex
	token string
	until time.Time
	tags  []string // tags of the client, nil if unknown
}

func newDoor(own Credentials, base *url.URL) *door {
	id, _, _ := splitSecret(own.Secret)
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &door{
		base: transport, tokens: base.JoinPath("/api/v2/oauth/token").String(), id: id, secret: own.Secret,
		passes: map[string]*pass{scopeKeys: {turn: turn.New()}, scopeDevices: {turn: turn.New()}},
	}
}

// HTTPClient implements tailscale.Auth. The client returns a redirect as the answer, and does not follow it.
func (d *door) HTTPClient(*http.Client, string) *http.Client {
	return &http.Client{Transport: d, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// RoundTrip makes a request with a token. It returns an error for every status that is no success, since the library
// takes a redirect for a success, and fails on an error message that is not JSON.
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
			d.passes[scope].dropToken(token) // the token may have expired early
			continue
		}
		return answer, err
	}
}

// send makes a request once, and limits the size of the answer.
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

// bounded is a body that fails when it becomes too long.
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

// accessToken returns the access token for a scope, and requests a new one if necessary.
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
		return token, nil // another caller has requested it meanwhile
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

// early is how long before its expiry a token is no longer used.
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

// clientTags returns the tags of the client, nil if unknown.
func (d *door) clientTags() []string {
	p := d.passes[scopeKeys]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tags
}
