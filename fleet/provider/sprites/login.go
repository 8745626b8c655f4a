package sprites

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/tokens"
)

// asking bounds the request that checks a token.
const asking = 30 * time.Second

// login is a login for sprites.dev.
type login struct {
	hub  fleet.Hub
	own  Credentials
	from string
	org  string // the organization that it belongs to, according to sprites.dev
}

// findLogin looks for a login: in the environment, then a login that an earlier voyage stored on the hub, then the login of the command
// sprite. Its errors contain no part of the token.
func findLogin(c describe.Captain) (describe.Login, error) {
	l := &login{hub: c.Hub}
	for _, name := range []string{"SPRITES_TOKEN", "SPRITE_TOKEN"} {
		if value, where := c.Variable(name); value != "" && l.own.Token == "" {
			l.own.Token, l.from = value, name+", from "+where
		}
	}
	want, wantedBy := c.Setting("sprites.org")
	if l.own.Token == "" {
		own, err := Kept(c.Hub)
		if err != nil && !errors.Is(err, ErrNoToken) {
			return nil, &describe.Fault{Err: err}
		}
		l.own, l.from = own, "kept from an earlier voyage"
	}
	if l.own.Token == "" {
		if by := spriteCommand(c.Hub, want); by.Command != "" {
			l.own, l.from = by, "the login of "+by.Command
		}
	}
	if address, _ := c.Variable("SPRITES_API_URL"); address != "" && l.own.Command == "" {
		l.own.URL = address
	}
	if l.own.Token == "" && l.own.Command == "" {
		return nil, &describe.Fault{
			Err: errors.New("ships on sprites.dev need a token, and SPRITES_TOKEN is not set"),
			Fix: "make one at sprites.dev/account\nthen: export SPRITES_TOKEN=…\nor log in with the command sprite: sprite login",
		}
	}
	if err := l.own.Check(); err != nil {
		f := &describe.Fault{Err: err}
		if l.own.Command != "" {
			f.Fix = "write in " + c.Hub.ConfigFile() + ": sprites: {org: NAME}"
		}
		return nil, f
	}
	if is := l.own.OrganizationOf(); want != "" && is != "" && want != is {
		return nil, &describe.Fault{
			Err: fmt.Errorf("the token for sprites.dev belongs to %q, and sprites.org (from %s) is %q", is, wantedBy, want),
			Fix: "use a token of that organization, or change sprites.org",
		}
	}
	return l, nil
}

// spriteCommand returns the credentials for the command sprite, if it is installed and logged in to an organization:
// to org or, if that is "", to the organization that it uses now.
func spriteCommand(hub fleet.Hub, org string) Credentials {
	path, err := exec.LookPath("sprite")
	if err != nil || !filepath.IsAbs(path) {
		return Credentials{}
	}
	file := filepath.Join(hub.Home, ".sprites", "sprites.json")
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return Credentials{} // no login
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return Credentials{}
	}
	var is struct {
		Now struct {
			Org string `json:"org"`
		} `json:"current_selection"`
	}
	_ = json.Unmarshal(raw, &is) // on an error, the configured organization is used
	return Credentials{Command: path, Organization: cmp.Or(org, is.Now.Org)}
}

// Prove implements describe.Login.
func (l *login) Prove(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	p := New(Options{Credentials: func() (Credentials, error) { return l.own, nil }})
	defer p.Close()
	org, err := p.Account(ctx)
	if err != nil {
		return "", &describe.Fault{Err: err, Unreached: !errors.Is(err, ErrToken)}
	}
	l.org = org
	what := "the token (" + l.from + ")"
	if l.own.Command != "" {
		what = l.from + ", without a token: through that command, in the name"
	}
	return "takes " + what + " of " + cmp.Or(org, "an organization that it does not name") + "; helm has it now", nil
}

// Keep implements describe.Login. It refuses to replace a login that is needed to sink ships of another organization.
func (l *login) Keep() error {
	if err := l.hub.Make(); err != nil {
		return err
	}
	org := cmp.Or(l.own.OrganizationOf(), l.org)
	kept, _ := Kept(l.hub) // an unreadable login cannot sink ships, so nothing is lost
	id, was, err := otherShips(l.hub, kept.OrganizationOf(), org)
	if err != nil {
		return err
	}
	if id != "" {
		return &describe.Fault{
			Err:     fmt.Errorf("%s has ships of the organization %q on sprites.dev, and this token is of %q", id, was, org),
			Fix:     "use a token of that organization, or sink first: ocaptain sink " + id + "\nif nothing can be sunk there any more, remove " + tokens.StoreOf(l.hub).File("sprites"),
			Refused: true,
		}
	}
	return tokens.StoreOf(l.hub).KeepToken("sprites", tokens.Token{Secret: l.own.Token, URL: l.own.URL, Command: l.own.Command, Account: l.own.Organization})
}

// otherShips returns the id of a voyage that has ships at sprites.dev of another organization than org, and that
// organization; id is "" if there is none. If the ships' organization is unknown, it assumes that of the stored
// token.
func otherShips(hub fleet.Hub, kept, org string) (id, was string, err error) {
	if org == "" {
		return "", "", nil // helm checks the account again before it counts a machine as gone
	}
	other := func(of string) bool {
		if was = of; was == "" {
			was = kept
		}
		return was != "" && !strings.EqualFold(was, org)
	}
	entries, err := machines.Of(hub).All()
	if err != nil {
		return "", "", err
	}
	booked := map[string]bool{}
	for _, e := range entries {
		if e.Provider != "sprites" {
			continue
		}
		if booked[e.Voyage] = true; !e.Gone && other(e.Account) {
			return e.Voyage, was, nil
		}
	}
	if !other("") {
		return "", "", nil
	}
	all, err := fleet.Voyages(hub.Voyages).List()
	if err != nil {
		return "", "", err
	}
	for _, d := range all {
		f, err := fleet.LoadFleet(d)
		if err != nil {
			return "", "", err
		}
		// Include ships whose records somebody has removed.
		if !booked[d.ID()] && slices.ContainsFunc(f.Ships, func(s *fleet.Ship) bool { return s.Provider == "sprites" }) {
			return d.ID(), was, nil
		}
	}
	return "", "", nil
}
