// Package provision turns a bare machine into a working ship, in named steps that can all be repeated. If
// provisioning was interrupted, it goes through all steps again, and finished ones take little time.
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

// Binary is the path of the ocaptain program on a ship, below the home directory.
const Binary = ".ocaptain/bin/ocaptain"

// Leftover is the path on a ship of the unmerged work of the ship that it replaces, below the home directory.
const Leftover = "voyage/leftover.patch"

// Job is the provisioning of one ship.
type Job struct {
	Voyage    fleet.Voyage
	Dir       fleet.Dir
	Ship      fleet.Ship
	Provider  provider.Provider
	Labels    map[string]string // labels of its machine
	PublicKey string            // the key that may log in, in authorized_keys format
	Secrets   map[string]string // environment that only the agent gets
	Env       map[string]string // further environment of the agent, not secret

	// Orders are the voyage's files as the captain last agreed to them. A file that has changed since is not sent.
	Orders fleet.Orders

	// First is the agent's first prompt, "" for the default. Leftover is a file with unmerged work for the agent to look
	// at, "" for none.
	First, Leftover string

	// Prove makes the ship prove that login and agent work before its agent is started.
	Prove bool

	// Program returns the path of the ocaptain program for an operating system and architecture, and the digest of its
	// content.
	Program func(ctx context.Context, os, arch string) (path, digest string, err error)

	// Tailnet is the tailnet that the ship has to join, nil for none.
	Tailnet *Tailnet

	// Link opens a connection to the ship at its current address.
	Link func(*fleet.Ship) (*link.Link, error)
	// Checkout brings the ship's tree to the voyage branch.
	Checkout func(context.Context, *link.Link, *fleet.Ship) error
	// Keep stores the ship; it is called before and after each step.
	Keep func(fleet.Ship) error
	// Await is called with whose answer the step waits for from now on.
	Await func(whom string)
	// Report is called with the progress of a step. state says that it starts, is retried, has failed or is done. took is
	// how long it took or, for a retry, how long the pause is. The text may come from the ship or its provider.
	Report func(step, state, text string, took time.Duration)
}

// States of a step for Report.
const (
	Start   = "start"
	Done    = "done"
	Failed  = "failed"
	Note    = "note"
	Retry   = "retry"  // the step is repeated after that time, because of the error in the text
	Printed = "output" // the text is what the step's programs have printed on the ship
)

// step is one step. Its time is a limit, not an estimate.
type step struct {
	name string
	time time.Duration
	do   func(*work, context.Context) error
	when func(*work) bool // whether the ship needs the step; nil for always
}

var steps = []step{
	{"create", 30 * time.Minute, (*work).create, nil}, // a provider may make ten per minute, and the last one waits for all others
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

// work is a job in progress.
type work struct {
	Job
	link    *link.Link
	machine string    // output of uname -m
	output  link.Tail // output of the current step's programs
}

// Run provisions the ship and returns its new state. If it fails, the machine still exists: its name is in the ship,
// and the caller decides what to do with it.
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

// counterpart returns whose answer the current step waits for.
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

// create makes the machine, or adopts the machine of an interrupted attempt.
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

// noteWait stores why the current step waits, for the status.
func (w *work) noteWait(why string) {
	w.Ship.Waits = w.redact(why)
	_ = w.Keep(w.Ship) // on an error: the ship is stored again at the end of the step
}

// connect connects to the ship, and pins the host key if the provider did not report it.
func (w *work) connect(ctx context.Context) error {
	if w.link != nil { // the link of an earlier attempt
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

// PublicKey returns a signer's public key as one line.
func PublicKey(s ssh.Signer) string { return string(ssh.MarshalAuthorizedKey(s.PublicKey())) }

// StepNames returns the names of all steps in order. A ship goes through the steps that it needs.
func StepNames() []string {
	var names []string
	for _, s := range steps {
		names = append(names, s.name)
	}
	return names
}
