package launch

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
)

// asking bounds the question whether sprites.dev takes the token.
const asking = 30 * time.Second

// Sprites returns what opens sprites.dev and where it was found: in the environment, else what
// an earlier voyage left with the hub. The problem is nil when it may be good; it never repeats a part of the token.
func Sprites(hub fleet.Hub, c config.Config) (sprites.Credentials, string, *Problem) {
	var own sprites.Credentials
	from := ""
	for _, name := range []string{"SPRITES_TOKEN", "SPRITE_TOKEN"} {
		if value, where := c.Variable(name); value != "" && own.Token == "" {
			own.Token, from = value, name+", from "+where
		}
	}
	if own.Token == "" {
		kept, err := sprites.Kept(hub)
		if err != nil && !errors.Is(err, sprites.ErrNoToken) {
			return own, "", &Problem{Kind: Missing, Field: Provider, Err: err}
		}
		own, from = kept, "kept from an earlier voyage"
	}
	if own.Token == "" {
		if by := spriteCommand(hub, c); by.Command != "" {
			own, from = by, "the login of "+by.Command
		}
	}
	if address, _ := c.Variable("SPRITES_API_URL"); address != "" && own.Command == "" {
		own.URL = address
	}
	if own.Token == "" && own.Command == "" {
		return own, "", problem(Missing, Provider, "make one at sprites.dev/account\nthen: export SPRITES_TOKEN=…\nor log in with the command sprite: sprite login",
			"ships on sprites.dev need a token, and SPRITES_TOKEN is not set")
	}
	if err := own.Check(); err != nil {
		p := &Problem{Kind: Missing, Field: Provider, Err: err}
		if own.Command != "" {
			p.Hint = "write in " + hub.ConfigFile() + ": sprites: {org: NAME}"
		}
		return own, from, p
	}
	if want, is := c.Sprites.Org, own.OrganizationOf(); want != "" && is != "" && want != is {
		return own, from, problem(Missing, Provider, "use a token of that organization, or change sprites.org",
			"the token for sprites.dev belongs to %q, and sprites.org (from %s) is %q", is, c.SourceOf("sprites.org"), want)
	}
	return own, from, nil
}

// spriteCommand is the command sprite, where it is installed and logged in to an organization: the
// one of the configuration, or that which the command uses now.
func spriteCommand(hub fleet.Hub, c config.Config) sprites.Credentials {
	path, err := exec.LookPath("sprite")
	if err != nil || !filepath.IsAbs(path) {
		return sprites.Credentials{}
	}
	file := filepath.Join(hub.Home, ".sprites", "sprites.json")
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return sprites.Credentials{} // nobody has logged in
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return sprites.Credentials{}
	}
	var is struct {
		Now struct {
			Org string `json:"org"`
		} `json:"current_selection"`
	}
	_ = json.Unmarshal(raw, &is) // an organization that is configured will do
	own := sprites.Credentials{Command: path, Organization: c.Sprites.Org}
	if own.Organization == "" {
		own.Organization = is.Now.Org
	}
	return own
}

// SpritesAccount asks sprites.dev whether it takes the token, and whose it is.
func SpritesAccount(ctx context.Context, own sprites.Credentials) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, asking)
	defer cancel()
	p := sprites.New(sprites.Options{Credentials: func() (sprites.Credentials, error) { return own, nil }})
	defer p.Close()
	return p.Account(ctx)
}

// KeepSprites leaves the token with the hub, where helm finds it; org is the organization that sprites.dev says
// it is of. One of another organization does not take the place of that with which ships can be sunk.
func KeepSprites(hub fleet.Hub, own sprites.Credentials, org string) error {
	if err := hub.Make(); err != nil {
		return err
	}
	if is := own.OrganizationOf(); is != "" {
		org = is
	}
	kept, _ := sprites.Kept(hub) // one that cannot be read sinks nothing
	if id, was, err := withSprites(hub, kept.OrganizationOf(), org); err != nil {
		return err
	} else if id != "" {
		return problem(Refused, Provider, "use a token of that organization, or sink first: ocaptain sink "+id+"\nif nothing can be sunk there any more, remove "+tokens.StoreOf(hub).File("sprites"),
			"%s has ships of the organization %q on sprites.dev, and this token is of %q", id, was, org)
	}
	return tokens.StoreOf(hub).KeepToken("sprites", tokens.Token{Secret: own.Token, URL: own.URL, Command: own.Command, Account: own.Organization})
}

// withSprites returns a voyage that has ships on sprites.dev of another organization than org, and which that is;
// id is "" for none. Where nothing tells whose ships are, they are of that of the token which was kept.
func withSprites(hub fleet.Hub, kept, org string) (id, was string, err error) {
	if org == "" {
		return "", "", nil // helm looks again who it is before it calls a machine gone
	}
	other := func(of string) bool {
		if was = of; was == "" {
			was = kept
		}
		return was != "" && !strings.EqualFold(was, org)
	}
	entries, err := install.Machines(hub).All()
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
		// Ships whose records somebody removed.
		if !booked[d.ID()] && slices.ContainsFunc(f.Ships, func(s *fleet.Ship) bool { return s.Provider == "sprites" }) {
			return d.ID(), was, nil
		}
	}
	return "", "", nil
}

// spritesToken finds the token for ships on sprites.dev.
func (d *draft) spritesToken() *Problem {
	if !d.order.Mix.Has("sprites") {
		return nil
	}
	var p *Problem
	d.order.sprites, _, p = Sprites(d.yard.Hub, d.config)
	return p
}

// account makes sure that the token is taken, before anything is made.
func (y Yard) account(ctx context.Context, o *Order) error {
	if !o.Mix.Has("sprites") {
		return nil
	}
	var err error
	o.org, err = SpritesAccount(ctx, o.sprites)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sprites.ErrToken):
		return &Problem{Kind: Missing, Field: Provider, Err: err}
	}
	return &Problem{Kind: Failed, Field: Provider, Err: err}
}

func (y Yard) keepToken(o *Order) error {
	if !o.Mix.Has("sprites") {
		return nil
	}
	return KeepSprites(y.Hub, o.sprites, o.org)
}
