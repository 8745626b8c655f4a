// Package sprites makes machines at sprites.dev. Each ship is a sprite, and is reached through the service's tunnel,
// so that the sprite needs no open port.
//
// A sprite has no SSH server. It gets ocaptain's own program, and runs "aboard standing-sshd" as a service, which the
// platform starts again when the sprite comes back from cold. Unlike a packaged server, this needs no download by the
// sprite and no root, accepts only the given key, and keeps its host key on the sprite. ocaptain pins that key when
// it first sees it, since the connection is TLS with the account's token.
package sprites

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/webapi"
	"ocaptain/tasks/pattern"
)

// Options are the settings of a Provider.
type Options struct {
	// Credentials returns the login, and is called before each request.
	Credentials func() (Credentials, error)

	// Program returns the path of the ocaptain program for an operating system and architecture, named as Go does, and
	// the digest of its content. Without it, the provider can look and destroy, but not create.
	Program func(ctx context.Context, os, arch string) (path, digest string, err error)

	// Own are the labels that a sprite must have to be destroyed, as the account may have other sprites.
	Own map[string]string
}

// Provider makes sprites. Several processes may use the same account at the same time.
type Provider struct {
	options Options
	client  *http.Client
	orgs    sync.Map // by credentials without an organization in their text: the organization
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider. It sends no request.
func New(options Options) *Provider {
	p := &Provider{options: options}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 8
	p.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token must not be sent elsewhere
	}
	return p
}

// Close closes idle connections.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// Name returns "sprites".
func (p *Provider) Name() string { return "sprites" }

const (
	nameMax     = 50 // with the organization's id it becomes a DNS label, which has at most 63 bytes
	namePattern = `^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
)

var validName = pattern.New(namePattern)

func isName(name string) bool { return len(name) <= nameMax && validName().MatchString(name) }

// Limits allows names that are valid as a part of a DNS label. sprites.dev also limits how many sprites may be made
// per minute: it tells a request over the limit how long to wait, and Create waits.
func (p *Provider) Limits() provider.Limits {
	return provider.Limits{NameMax: nameMax, NamePattern: namePattern, Late: callTime}
}

// sprite is the description of a sprite by sprites.dev. In a list, some fields may be missing.
type sprite struct {
	Name    string    `json:"name"`
	ID      string    `json:"id"`
	Status  string    `json:"status"`
	Labels  *[]string `json:"labels"` // nil when unknown
	Created time.Time `json:"created_at"`
}

// machine converts s. The user of every sprite is "sprite".
func (s sprite) machine() provider.Machine {
	m := provider.Machine{
		Name: webapi.ShortLine(s.Name, nameMax), ID: webapi.ShortLine(s.ID, 100), User: "sprite", Labels: s.labels(),
		State: provider.Unknown, Created: s.Created.UTC().Truncate(time.Second),
	}
	switch s.Status {
	case "running":
		m.State = provider.Running
	case "warm", "cold": // frozen, or without processes, until something wakes it
		m.State = provider.Paused
	}
	return m
}

// labels is the inverse of labelTags.
func (s sprite) labels() map[string]string {
	if s.Labels == nil || len(*s.Labels) == 0 {
		return nil
	}
	all := map[string]string{}
	for _, tag := range *s.Labels {
		k, v, _ := strings.Cut(webapi.ShortLine(tag, 200), ":")
		all[k] = v
	}
	return all
}

// labelTags converts labels to those of sprites.dev, which are words.
func labelTags(labels map[string]string) []string {
	all := []string{}
	for k, v := range labels {
		all = append(all, k+":"+v)
	}
	return all
}

func spritePath(name string, more ...string) string {
	all := "/v1/sprites/" + url.PathEscape(name)
	for _, m := range more {
		all += "/" + m
	}
	return all
}

// getSprite asks for one sprite. It does not ask for an invalid name.
func (p *Provider) getSprite(ctx context.Context, name string) (sprite, error) {
	var s sprite
	if !isName(name) {
		return s, fmt.Errorf("sprite %.100q: %w", name, provider.ErrNotFound)
	}
	err := p.do(ctx, call{method: http.MethodGet, path: spritePath(name), out: &s})
	if err == nil && s.Name != name {
		err = errors.New("sprites.dev tells of another sprite")
	}
	return s, spriteError(name, err)
}

// Get returns one machine, or provider.ErrNotFound. It does not wake the machine.
func (p *Provider) Get(ctx context.Context, name string) (provider.Machine, error) {
	s, err := p.getSprite(ctx, name)
	return s.machine(), err
}

// Limits of a list.
const (
	pageSize = 50
	maxPages = 200
)

// List returns the machines that have all the labels, page by page.
func (p *Provider) List(ctx context.Context, labels map[string]string) ([]provider.Machine, error) {
	return p.list(ctx, "", labels)
}

// list returns the machines whose names begin with prefix and that have all the labels.
func (p *Provider) list(ctx context.Context, prefix string, labels map[string]string) ([]provider.Machine, error) {
	rows, err := p.listSprites(ctx, prefix)
	if err != nil {
		return nil, err
	}
	var found []provider.Machine
	for _, s := range rows {
		if s.Labels == nil || s.ID == "" {
			full, err := p.getSprite(ctx, s.Name)
			if errors.Is(err, provider.ErrNotFound) {
				continue // it was destroyed meanwhile
			}
			if err != nil {
				return nil, err
			}
			s = full
		}
		if m := s.machine(); provider.Includes(m.Labels, labels) {
			found = append(found, m)
		}
	}
	return found, nil
}

// listSprites lists the sprites whose names begin with prefix. An entry may have only a name.
func (p *Provider) listSprites(ctx context.Context, prefix string) ([]sprite, error) {
	var found []sprite
	token := ""
	for range maxPages {
		query := url.Values{"max_results": {fmt.Sprint(pageSize)}}
		if prefix != "" {
			query.Set("prefix", prefix)
		}
		if token != "" {
			query.Set("continuation_token", token)
		}
		var page struct {
			Sprites *[]sprite `json:"sprites"` // nil if the answer is no list
			More    bool      `json:"has_more"`
			Next    string    `json:"next_continuation_token"`
		}
		if err := p.do(ctx, call{method: http.MethodGet, path: "/v1/sprites", query: query, out: &page}); err != nil {
			return nil, fmt.Errorf("list sprites: %w", err)
		}
		if page.Sprites == nil {
			return nil, notWhole("an answer that is none")
		}
		for _, s := range *page.Sprites {
			if s.Name == "" {
				return nil, notWhole("it has a sprite without a name")
			}
			if isName(s.Name) && strings.HasPrefix(s.Name, prefix) { // only names that ocaptain could have chosen
				found = append(found, s)
			}
		}
		switch page.Next {
		case "":
			if page.More {
				return nil, notWhole("there is more, and nothing tells how to get it")
			}
			return found, nil
		case token:
			return nil, notWhole("a page leads to itself")
		}
		token = page.Next
	}
	return nil, fmt.Errorf("list sprites: there are more than %d pages", maxPages)
}

// notWhole returns the error of an incomplete list, which does not show which sprites exist.
func notWhole(why string) error {
	return &provider.Temporary{Err: fmt.Errorf("list sprites: %s", why)}
}

// Account checks that sprites.dev accepts the token, and returns its organization.
func (p *Provider) Account(ctx context.Context) (org string, err error) {
	var page struct {
		Org struct {
			Name string `json:"name"`
		} `json:"org"`
	}
	query := url.Values{"max_results": {"1"}}
	if err := p.do(ctx, call{method: http.MethodGet, path: "/v1/sprites", query: query, out: &page}); err != nil {
		return "", err
	}
	return webapi.ShortLine(page.Org.Name, 100), nil
}

func sameLabels(a, b map[string]string) bool { return len(a) == len(b) && maps.Equal(a, b) }
