// Package provision makes a working ship of a bare machine, in named steps that can all be
// repeated: a ship whose provisioning was interrupted goes through them again, and finished steps
// are quick.
package provision

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/hush"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
)

// Binary is where the ocaptain program lies on a ship, below the home directory.
const Binary = ".ocaptain/bin/ocaptain"

// Leftover is where a ship finds the unmerged work of the one before it, below the home directory.
const Leftover = "voyage/leftover.patch"

// Job is one ship to be provisioned.
type Job struct {
	Voyage    fleet.Voyage
	Dir       fleet.Dir
	Ship      fleet.Ship
	Provider  provider.Provider
	Labels    map[string]string // of the machine
	PublicKey string            // that may log in, in authorized_keys format
	Secrets   map[string]string // environment of the agent alone
	Env       map[string]string // of the agent, nothing secret

	// Orders are the voyage's, as the captain last agreed to them: a file that is another one now is not given.
	Orders fleet.Orders

	// First is what the agent is told to begin with, "" for the usual. Leftover is a file with
	// unmerged work for it to look at, "" for none.
	First, Leftover string

	// Prove has the ship prove that login and agent work before its agent is launched.
	Prove bool

	// Program returns ocaptain's program for an operating system and architecture, and the digest
	// of its content.
	Program func(ctx context.Context, os, arch string) (path, digest string, err error)

	// Tailnet is what the ship is to join beside its provider's network, nil for nothing.
	Tailnet *Tailnet

	// Link opens the connection to the ship as it now is.
	Link func(*fleet.Ship) (*link.Link, error)
	// Checkout brings the ship's tree to the voyage branch.
	Checkout func(context.Context, *link.Link, *fleet.Ship) error
	// Keep stores what is known of the ship; it is called before and after each step.
	Keep func(fleet.Ship) error
	// Await tells whose answer the step waits for from now on.
	Await func(whom string)
	// Report tells how a step goes: that it starts, is tried again, fails or is done, with a text
	// and how long it took, or will wait. Texts are from the ship and its provider.
	Report func(step, state, text string, took time.Duration)
}

// The states of a step in Report.
const (
	Start   = "start"
	Done    = "done"
	Failed  = "failed"
	Note    = "note"
	Retry   = "retry"  // it is tried again after that time, because of the error in the text
	Printed = "output" // the text is what its programs printed on the ship
)

// step is one step. Its time is a bound, not a guess.
type step struct {
	name string
	time time.Duration
	do   func(*work, context.Context) error
	when func(*work) bool // nil for always
}

var steps = []step{
	{"create", 30 * time.Minute, (*work).create, nil}, // some make ten a minute, and the last one waits for all others
	{"reach", 2 * time.Minute, (*work).connect, nil},
	{"look", time.Minute, (*work).inspectMachine, nil},
	{"tools", 10 * time.Minute, (*work).installTools, nil},
	{"aboard", 5 * time.Minute, (*work).aboard, nil},
	{"tailnet", joinTime, (*work).joinTailnet, (*work).joinsTailnet},
	{"orders", time.Minute, (*work).orders, nil},
	{"clone", 10 * time.Minute, (*work).cloneRepository, nil},
	{"agent", 10 * time.Minute, (*work).installAgent, nil},
	{"probe", 2 * time.Minute, (*work).probeAgent, (*work).proves},
	{"launch", time.Minute, (*work).launch, nil},
}

// work is a job under way.
type work struct {
	Job
	link    *link.Link
	machine string    // what uname -m says
	output  link.Tail // what the programs of the step under way printed
}

// Run provisions the ship and returns it as it then is. When it fails, the machine is
// still there: its name is in the ship, and the caller decides what becomes of it.
func Run(ctx context.Context, j Job) (fleet.Ship, error) {
	w := &work{Job: j}
	defer func() {
		if w.link != nil {
			_ = w.link.Close()
		}
	}()
	w.Ship.Phase, w.Ship.Error, w.Ship.Output, w.Ship.Steps = fleet.Provisioning, "", "", nil
	for _, s := range steps {
		if s.when != nil && !s.when(w) {
			continue
		}
		w.Ship.Step, w.Ship.StepAt, w.Ship.Waits = s.name, time.Now(), ""
		if err := w.Keep(w.Ship); err != nil {
			return w.Ship, err
		}
		w.Report(s.name, Start, "", 0)
		w.Await(w.counterpart())
		began := time.Now()
		err := w.doStep(ctx, s)
		took := time.Since(began)
		if err != nil {
			err = hush.Retold(err, w.redact(err.Error()))
			if w.Ship.Output = w.takeOutput(); w.Ship.Output != "" {
				w.Report(s.name, Printed, w.Ship.Output, 0)
			}
			w.Report(s.name, Failed, err.Error(), took)
			w.Ship.Error = s.name + ": " + err.Error()
			return w.Ship, fmt.Errorf("%s: %s: %w", w.Ship.Name, s.name, err)
		}
		w.tellOutput(s.name)
		w.Report(s.name, Done, "", took)
		w.Ship.Steps = append(w.Ship.Steps, fleet.Step{Name: s.name, Took: took})
	}
	w.Ship.Phase, w.Ship.Step, w.Ship.StepAt, w.Ship.Waits = fleet.Afloat, "", time.Time{}, ""
	return w.Ship, w.Keep(w.Ship)
}

// counterpart is whose answer the step under way waits for.
func (w *work) counterpart() string {
	where := cmp.Or(w.Ship.Machine.Addr, w.Ship.Machine.Name)
	switch w.Ship.Step {
	case "create":
		return "the provider " + w.Ship.Provider
	case "reach":
		return "SSH at " + where
	}
	return "the machine at " + where
}

// create makes the machine, or adopts the machine that an interrupted attempt made.
func (w *work) create(ctx context.Context) error {
	a, err := w.Voyage.FindAgent(&w.Ship)
	if err != nil {
		return err
	}
	m, err := w.Provider.Create(ctx, provider.Spec{
		Name: w.Ship.MachineName(w.Voyage.ID), Labels: w.Labels, AuthorizedKey: w.PublicKey,
		Waits:  w.noteWait,
		Walled: a.RunsModel() && !w.Voyage.Unconfined,
	})
	if err != nil {
		return err
	}
	w.Ship.Machine = m
	if w.Ship.HostKey == "" {
		w.Ship.HostKey = m.HostKey
	}
	if m.Note != "" {
		w.Report("create", Note, m.Note, 0)
	}
	return nil
}

// noteWait keeps why the step under way waits, for the status.
func (w *work) noteWait(why string) {
	w.Ship.Waits = w.redact(why)
	_ = w.Keep(w.Ship) // it is kept again at the end of the step
}

// connect connects, and pins the host key where the provider did not tell it.
func (w *work) connect(ctx context.Context) error {
	if w.link != nil { // that of an attempt before
		_ = w.link.Close()
	}
	var err error
	if w.link, err = w.Link(&w.Ship); err != nil {
		return err
	}
	if err := w.link.AwaitConnected(ctx); err != nil {
		return err
	}
	w.Ship.HostKey = w.link.HostKey()
	return nil
}

// PublicKey writes a signer's public half as one line.
func PublicKey(s ssh.Signer) string { return string(ssh.MarshalAuthorizedKey(s.PublicKey())) }

// StepNames are the names of all steps, in their order. A ship goes through the steps that it
// needs.
func StepNames() []string {
	var names []string
	for _, s := range steps {
		names = append(names, s.name)
	}
	return names
}
