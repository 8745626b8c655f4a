package tailnet_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/apitest"
	"ocaptain/tasks/eventually"
)

// The error of a refusal says what to do.
func TestRefusals(t *testing.T) {
	prove := func(f *apitest.Fake, tag string) error {
		a, err := tailnet.Open(tailnet.Credentials{Secret: f.Secret(), URL: f.URL, Tag: tag})
		if err != nil {
			return err
		}
		defer a.Close()
		return a.CheckAccess(soon(t))
	}
	f := apitest.Start(t, apitest.Options{})
	if err := prove(f, ""); err != nil {
		t.Errorf("all is well, but: %v", err)
	}
	if len(f.Keys()) > 0 {
		t.Errorf("left behind: %v", f.Keys())
	}
	for _, c := range []struct {
		options apitest.Options
		tag     string
		scope   string
		want    []string
	}{
		{apitest.Options{Scopes: []string{"devices:core"}}, "", "auth_keys", []string{"cannot grant scopes", "login.tailscale.com/admin/settings/oauth"}},
		{apitest.Options{Scopes: []string{"auth_keys"}}, "", "devices:core", []string{"lacks the scope devices:core"}},
		{apitest.Options{}, "tag:other", "", []string{"tag:other", "it holds tag:ocaptain-ship", "exactly this one tag", "tailscale_tag"}},
		{apitest.Options{Tags: []string{tag, "tag:second"}}, "", "", []string{tag, "it holds tag:ocaptain-ship tag:second", "exactly this one tag"}},
	} {
		f := apitest.Start(t, c.options)
		err := prove(f, c.tag)
		var scope *tailnet.ScopeError
		var tag *tailnet.TagError
		if c.scope != "" && (!errors.As(err, &scope) || scope.Scope != c.scope) || c.scope == "" && !errors.As(err, &tag) {
			t.Errorf("%+v: %v", c.options, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%v does not say %q", err, w)
			}
		}
	}
	a := open(t, f)
	f.Renew()
	if err := a.Admitted(soon(t)); !errors.Is(err, tailnet.ErrSecret) {
		t.Errorf("revoked: %v", err)
	}
	a = open(t, f)
	f.Plan(apitest.Fault{Path: "/tailnet/-/keys", Times: 1, Misdeed: apitest.Deny})
	var scope *tailnet.ScopeError
	if _, err := a.MakeKey(soon(t), "x"); !errors.As(err, &scope) || scope.Scope != "auth_keys" {
		t.Errorf("denied late: %v", err)
	}
}

// Temporary failures are retried, and a key is not made twice.
func TestPatience(t *testing.T) {
	for _, m := range []apitest.Misdeed{apitest.Drop, apitest.LoseAnswer, apitest.Break, apitest.Refuse, apitest.Half, apitest.TooMany} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			f := apitest.Start(t, apitest.Options{})
			a := open(t, f)
			f.Plan(apitest.Fault{Path: "/tailnet/-/devices", Times: 1, Misdeed: m})
			if _, err := a.Devices(soon(t)); err != nil {
				t.Errorf("list: %v", err)
			}
			f.Plan(apitest.Fault{Path: "/tailnet/-/keys", Times: 1, Misdeed: m})
			_, err := a.MakeKey(soon(t), "ship")
			var later *provider.Temporary
			if m == apitest.TooMany && err != nil || m != apitest.TooMany && !errors.As(err, &later) {
				t.Errorf("mint: %v", err)
			}
			if n := f.Count("POST", "/tailnet/-/keys"); (n > 1) != (m == apitest.TooMany) {
				t.Errorf("asked for %d keys", n)
			}
			if n := f.Forgive(); n > 0 {
				t.Errorf("%d faults left", n)
			}
		})
	}
}

// Nonsensical or missing answers end in an error, in time.
func TestStrangeAnswers(t *testing.T) {
	for _, m := range []apitest.Misdeed{apitest.Stray, apitest.Nonsense, apitest.Endless, apitest.Echo, apitest.Hang} {
		for _, path := range []string{"/oauth/token", "/tailnet/-/devices"} {
			t.Run(fmt.Sprint(m, " ", strings.ReplaceAll(path, "/", " ")), func(t *testing.T) {
				t.Parallel()
				f := apitest.Start(t, apitest.Options{})
				a := open(t, f)
				f.Plan(apitest.Fault{Path: path, Times: 100, Misdeed: m})
				ctx := eventually.Brief(t, 5*time.Second)
				if m == apitest.Hang {
					ctx = eventually.Brief(t, 300*time.Millisecond)
				}
				_, err := a.Devices(ctx)
				if err == nil || m == apitest.Hang && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				secret := f.Secret()
				for _, word := range []string{secret, secret[strings.LastIndexByte(secret, '-')+1:], "tskey-api", "tskey-client"} {
					if err != nil && strings.Contains(err.Error(), word) {
						t.Errorf("it shows %q: %v", word, err)
					}
				}
			})
		}
	}
}
