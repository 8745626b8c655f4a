// Package sprites makes machines on sprites.dev: each ship is a sprite, reached through the
// service's own tunnel, so that nothing of it is open to the network.
//
// A sprite has no SSH server. It gets ocaptain's own program, and runs "aboard standing-sshd" as
// a service, which the platform starts again when the sprite comes back from cold. Unlike a packaged server
// that needs no download by the sprite and no root, lets in the one key that it is given, and keeps its host key
// on the sprite. The key is pinned when it is first seen: the way there is TLS with the account's token.
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

// Options say how to reach sprites.dev and what sprites get.
type Options struct {
	// Credentials is asked before each call.
	Credentials func() (Credentials, error)

	// Program returns ocaptain's program for an operating system and architecture as Go names them,
	// and the digest of its content. Without it one can look and destroy, and not create.
	Program func(ctx context.Context, os, arch string) (path, digest string, err error)

	// Own are labels that a sprite must have to be destroyed. The account may hold others.
	Own map[string]string
}

// Provider makes sprites. Several processes may use one account at the same time.
type Provider struct {
	options Options
	client  *http.Client
	orgs    sync.Map // credentials whose text tells none → organization
}

var _ provider.Provider = (*Provider)(nil)

// New returns a provider. It asks nothing of anybody.
func New(options Options) *Provider {
	p := &Provider{options: options}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 8
	p.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token goes nowhere else
	}
	return p
}

// Close lets go of connections that are kept for later calls.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// Name is "sprites".
func (p *Provider) Name() string { return "sprites" }

const (
	nameMax     = 50 // with the organization's id it becomes a DNS label of 63
	namePattern = `^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
)

var validName = pattern.New(namePattern)

func isName(name string) bool { return len(name) <= nameMax && validName().MatchString(name) }

// Limits allows names that are good as a part of a DNS label. sprites.dev also limits how many sprites
// may be made in a minute: it tells a request over the limit how long to wait, and Create waits.
func (p *Provider) Limits() provider.Limits {
	return provider.Limits{NameMax: nameMax, NamePattern: namePattern, Late: callTime}
}

// sprite is what sprites.dev tells of one. Rows of a list may have a part of it.
type sprite struct {
	Name    string    `json:"name"`
	ID      string    `json:"id"`
	Status  string    `json:"status"`
	Labels  *[]string `json:"labels"` // nil when it does not say
	Created time.Time `json:"created_at"`
}

// machine translates. Everybody is the user sprite there.
func (s sprite) machine() provider.Machine {
	m := provider.Machine{
		Name: webapi.ShortLine(s.Name, nameMax), ID: webapi.ShortLine(s.ID, 100), User: "sprite", Labels: s.labels(),
		State: provider.Unknown, Created: s.Created.UTC().Truncate(time.Second),
	}
	switch s.Status {
	case "running":
		m.State = provider.Running
	case "warm", "cold": // frozen, or without processes until something wakes it
		m.State = provider.Paused
	}
	return m
}

// labels undoes what tags does.
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

// labelTags writes labels as sprites.dev has them, which are words.
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

// getSprite asks for one sprite. A name that none can have is not asked for.
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

// Get returns one machine, or provider.ErrNotFound. It wakes nothing.
func (p *Provider) Get(ctx context.Context, name string) (provider.Machine, error) {
	s, err := p.getSprite(ctx, name)
	return s.machine(), err
}

// The most that is read of a list.
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
				continue // destroyed in between
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

// listSprites returns the list of the sprites whose names begin with prefix. A row may hold only the name.
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
			Sprites *[]sprite `json:"sprites"` // nil in an answer that is no list
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
			if isName(s.Name) && strings.HasPrefix(s.Name, prefix) { // a name that ocaptain could have chosen
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

// notWhole is the error of a list that says nothing about what is not in it.
func notWhole(why string) error {
	return &provider.Temporary{Err: fmt.Errorf("list sprites: %s", why)}
}

// Account checks that sprites.dev takes the token, and tells whose it is.
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
