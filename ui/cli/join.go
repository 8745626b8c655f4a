package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/actor"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
	"ocaptain/tasks/redislog"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// sessionSecret is the variable with the secret of a session in Redis.
const sessionSecret = "OCAPTAIN_SESSION_SECRET"

func joinCmd(b *bridge) *cobra.Command {
	var asJSON, unconfined, detach bool
	var text, labels, priority string
	var s launch.Session
	cmd := &cobra.Command{
		Use:   "join URL SESSION",
		Short: "Have part in a session that another hub keeps in a Redis",
		Long: `See the tasks of a session that another hub keeps in a Redis, as they are now, and ask it for more with --add. Its own hub plans,
does and merges what you ask for. Nothing is kept on this machine, and no helm is needed.

With --workers, ships of this machine's helm take part: they claim tasks of the same list, and their work comes to the same branch of the
repository, which has to be one that all hubs reach and may push to.

The secret of the session is in ` + sessionSecret + `: it is in redis.json of the voyage, where the session was begun. A password of
the Redis is in REDIS_PASSWORD.`,
		Annotations: map[string]string{goesOut: "with `--workers`: the branch of the session, what is handed in and copies of work under way, as with `ocaptain start`"},
		Example: `ocaptain join rediss://queue.example.org:6379 voyage-3f9a1c22b07d
ocaptain join redis://localhost:6379 voyage-3f9a1c22b07d --add "a page for the user's profile" --labels frontend
ocaptain join redis://localhost:6379 voyage-3f9a1c22b07d --workers 3`,
		Args: wantArgs("URL", "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var epic *tasks.Task
			if text != "" {
				var list []string
				var urgency int
				if err := readWish(&text, &list, &urgency, labels, priority); err != nil {
					return err
				}
				t, err := tasks.NewEpic(text, list, urgency)
				if err != nil {
					return usageError("%v", err)
				}
				epic = &t
			}
			if s.Workers < 0 || s.Planners < 0 || s.Validators < 0 || s.Validators > maxValidators {
				return usageError("--workers, --planners and --validators: give a number from 0, and at most %d validators", maxValidators)
			}
			place, err := b.place(cmd, args[0], args[1])
			if err != nil {
				return err
			}
			store, leave, err := b.join(cmd.Context(), place)
			if err != nil {
				return err
			}
			defer leave()
			if s.Workers+s.Planners > 0 {
				return b.bringShips(cmd, place, store, s, unconfined, detach)
			}
			if epic == nil {
				return b.writeJoined(store, args[1], asJSON)
			}
			added, err := actor.New(store, slog.New(slog.DiscardHandler), rights.Captain).Add(cmd.Context(), []tasks.Task{*epic})
			if err != nil {
				return joinError(err)
			}
			fmt.Fprintf(b.out, "%s is asked for as task %s\n", words.FitWidth(clean.Line(words.FirstLine(text)), maxGoal), clean.Line(added[0].ID))
			return nil
		},
	}
	cmd.Flags().StringVar(&text, "add", "", "ask the session for something more, or - for what standard input says")
	cmd.Flags().StringVar(&labels, "labels", "", "with --add: words by which it is found, like backend,auth")
	cmd.Flags().StringVar(&priority, "priority", "P2", "with --add: how urgent it is, from P0 to P4")
	f := cmd.Flags()
	f.IntVarP(&s.Workers, "workers", "w", 0, "bring so many workers of your own")
	f.IntVar(&s.Planners, "planners", 0, "with --workers: bring so many planners")
	f.IntVar(&s.Validators, "validators", 1, "with --workers: how many review the work of these workers, in a session with reviews")
	f.String("provider", "", "where ships come from: "+strings.Join(launch.Providers(), ", "))
	f.String("agent", "", "the program that codes (default claude)")
	f.String("model", "", "model that the agent is asked to use")
	costFlags(cmd)
	f.String("agent-version", "", agentVersionUsage)
	f.Bool("no-telemetry", false, noTelemetryUsage)
	f.BoolVar(&unconfined, "unconfined", false, "agree to agents on this machine or on hosts that no sandbox holds")
	f.BoolVar(&detach, "detach", false, "return as soon as the ships sail, also on a terminal")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]tasks.State]())
	cmd.MarkFlagsMutuallyExclusive("add", "json", "workers")
	return cmd
}

// bringShips makes a voyage of this hub's that takes part in a session with ships of its own.
func (b *bridge) bringShips(cmd *cobra.Command, place redislog.Place, store *dirstore.Store, s launch.Session, unconfined, detach bool) error {
	j := launch.Join{URL: place.URL, Session: place.Session, Admission: fleet.Admission{Password: place.Password, Secret: place.Secret}}
	if raw := store.Terms(); raw != nil {
		if err := json.Unmarshal(raw, &j.Terms); err != nil {
			return newExitError(Refused, "look whether this is the newest ocaptain", "session %s says what cannot be read: %w", place.Session, err)
		}
	}
	if !j.Terms.Reviewed && !cmd.Flags().Changed("validators") {
		s.Validators = 0
	}
	y := b.launchYard()
	y.Asks = b.live
	w, err := b.wish(cmd, nil)
	if err != nil {
		return err
	}
	w.Unconfined = unconfined
	o, err := y.CheckJoin(cmd.Context(), w, s, j)
	if o != nil {
		b.tellDefects(o)
	}
	if err != nil {
		return orderError(err)
	}
	if err := b.agree(cmd.Context(), o); err != nil {
		return err
	}
	return b.setSail(cmd, o, detach, false)
}

// place returns where a session is, and what opens it.
func (b *bridge) place(cmd *cobra.Command, address, session string) (redislog.Place, error) {
	if err := redislog.CheckURL(address); err != nil {
		return redislog.Place{}, usageError("the address %w", err)
	}
	if !fleet.IsVoyageID(session) {
		return redislog.Place{}, usageError("SESSION is the id of the voyage that began it, like voyage-3f9a1c22b07d")
	}
	c, err := b.config(cmd)
	if err != nil {
		return redislog.Place{}, err
	}
	secret, _ := c.Variable(sessionSecret)
	if secret == "" {
		return redislog.Place{}, newExitError(Missing, "the secret is in redis.json of the voyage, where the session was begun: export "+sessionSecret+"=…", "%s is not set, and the session is closed without its secret", sessionSecret)
	}
	password, _ := c.Variable("REDIS_PASSWORD")
	return redislog.Place{URL: address, Password: password, Session: session, Secret: secret}, nil
}

// join opens the present tasks of a session, in a directory that leave removes.
func (b *bridge) join(ctx context.Context, place redislog.Place) (store *dirstore.Store, leave func(), err error) {
	log, err := redislog.Open(place)
	if err != nil {
		return nil, nil, err
	}
	store, leave, err = openJoined(ctx, log, place.Session)
	if err != nil {
		_ = log.Close()
		return nil, nil, joinError(err)
	}
	return store, leave, nil
}

// openJoined opens the tasks in a log.
func openJoined(ctx context.Context, log *redislog.Log, session string) (store *dirstore.Store, leave func(), err error) {
	if first, err := log.Read(ctx, redislog.Mark{}); err != nil {
		return nil, nil, err
	} else if len(first) == 0 {
		return nil, nil, newExitError(NotFound, "look for its id with: ocaptain voyages, where it was begun", "there is no session %s", session)
	}
	dir, err := os.MkdirTemp("", "ocaptain-join-")
	if err != nil {
		return nil, nil, err
	}
	j, err := journal.Open(filepath.Join(dir, "events.jsonl"))
	if err == nil {
		store, err = dirstore.OpenShared(filepath.Join(dir, "tasks"), j, nil, log, 0)
	}
	leave = func() {
		if store != nil {
			_ = store.Close()
		}
		if j != nil {
			_ = j.Close()
		}
		_ = log.Close()
		_ = os.RemoveAll(dir)
	}
	if err == nil {
		err = store.CatchUp(ctx)
	}
	if err != nil {
		leave()
	}
	return store, leave, err
}

// joinError gives an error of a log its exit code and advice.
func joinError(err error) error {
	switch {
	case errors.Is(err, redislog.ErrForged):
		return newExitError(Refused, "look whether "+sessionSecret+" is the secret of this session", "%w", err)
	case errors.Is(err, redislog.ErrUnreachable):
		return newExitError(Failed, "look at the address, and set REDIS_PASSWORD where that Redis wants a password", "%w", err)
	}
	return err
}

// writeJoined prints the tasks of a session that runs on another hub.
func (b *bridge) writeJoined(store *dirstore.Store, session string, asJSON bool) error {
	all := []tasks.State{}
	for _, t := range store.Snapshot().Tasks {
		all = append(all, *t)
	}
	v := &fleet.Voyage{ID: session, Kind: fleet.Session}
	switch open := blockers(all); {
	case asJSON:
		return printJSON(b.raw, judged(v, all, open, b.now()))
	case len(all) == 0:
		fmt.Fprintf(b.out, "Session %s has no tasks.\n", session)
	default:
		writeTasks(b.out, v, all, open, b.now(), b.width)
	}
	return nil
}
