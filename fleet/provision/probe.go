package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/link"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/webapi"
)

// proves reports whether this ship has to prove that its agent works.
func (w *work) proves() bool {
	a, err := agent.Lookup(w.Ship.Agent)
	return err == nil && w.Prove && a.Headless != nil && a.Headless.Probe != nil
}

// probeAgent asks the agent for one word, with the settings that it will work with. An error that passes by itself
// does not stop the ship.
func (w *work) probeAgent(ctx context.Context) error {
	out, err := w.link.Run(ctx, link.Command{Argv: []string{path.Join(w.Ship.Home, Binary), "aboard", "probe"}})
	if err != nil {
		return err
	}
	var proof proto.Proof
	if err := json.Unmarshal(out.Stdout, &proof); err != nil {
		return fmt.Errorf("its answer makes no sense: %.200q", out.Stdout)
	}
	if proof.Works {
		return nil
	}
	text := webapi.ShortLine(proof.Text, 600)
	if fix := webapi.ShortLine(proof.Fix, 600); fix != "" {
		text += "; " + fix
	}
	if proof.Passing {
		w.Report("probe", Note, text, 0)
		return nil
	}
	return errors.New(text)
}
