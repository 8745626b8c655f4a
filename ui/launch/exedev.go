package launch

import (
	"context"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
)

// exedev makes sure that exe.dev lets the captain in, before anything is made there.
func (y Yard) exedev(ctx context.Context, o *Order, c config.Config) error {
	if !o.Mix.Has("exedev") {
		return nil
	}
	_, err := ExeAccount(ctx, y.Hub, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return nil
	}
	kind := Missing // a login that is good
	if exedev.Unreached(err) {
		kind = Failed
	}
	return problem(kind, Provider, "see: ocaptain doctor --provider exedev", "%w", err)
}

// ExeAccount asks exe.dev who the captain is. A token of the configuration that is good is kept
// for helm, which does not get the captain's environment.
func ExeAccount(ctx context.Context, hub fleet.Hub, c config.Config) (exedev.Account, error) {
	var none exedev.Account
	if err := hub.Make(); err != nil {
		return none, err
	}
	if err := install.RememberAgent(hub); err != nil {
		return none, err
	}
	id, err := install.ID(hub)
	if err != nil {
		return none, err
	}
	token, _ := c.Variable("EXE_TOKEN")
	p, err := exedev.Of(describe.Env{Hub: hub, Install: id}, token)
	if err != nil {
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	account, err := p.Account(ctx)
	if err != nil {
		p.Close() // the captain may log in as somebody else next time
	} else if token != "" {
		err = tokens.StoreOf(hub).KeepToken("exedev", tokens.Token{Secret: token})
	}
	return account, err
}
