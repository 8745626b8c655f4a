package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/tasks/pattern"
	"ocaptain/tasks/redislog"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/taskfile"
	"ocaptain/ui/words"
)

func startCmd(b *bridge) *cobra.Command {
	var s launch.Session
	var is launch.Wish
	var repo, file, labels, priority, approve string
	var fetch, unconfined, tui, detach, asJSON bool
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Say what you want: a planner, workers and a validator bring it to a branch",
		Long: `Start a session in a git repository. A planner breaks down what you ask for into tasks, workers do these at the same time,
and a validator reviews what they hand in, each on a machine of its own. All of it comes together on the branch feat/…, which nobody pushes,
unless --redis shares the session with other hubs.

What the captain.yaml of the repository says counts where no flag says otherwise: see ocaptain help captain-yaml.

Ask a session for more with ocaptain add. It goes on until it is sunk.`,
		Annotations: map[string]string{goesOut: "with `--redis`: the branch of the session, to the repository; and what is handed in, under names of its own, before its review, as far as `guard.steering` lets it in; and copies of work under way that steers no agent"},
		Example: `ocaptain start --task "add login with sessions" --workers 3
ocaptain start --task - --verify "go test ./..." < wish.md
ocaptain start --beads --workers 2`,
		Args: wantArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			y := b.launchYard()
			y.Asks = b.live
			captain := y.CaptainFile(cmd.Context(), repo, file)
			baseFrom := useCaptain(cmd, captain, &s)
			if s.Workers < 1 {
				return usageError("--workers is %d; give a number from 1", s.Workers)
			}
			if s.Validators < 0 || s.Validators > maxValidators {
				return usageError("--validators is %d; give a number from 0 to %d", s.Validators, maxValidators)
			}
			if err := checkRedisFlag(s.Redis); err != nil {
				return err
			}
			if tui && !b.screen {
				return newExitError(Refused, "leave out --tui, and come to the session with: ocaptain attach", "--tui needs a terminal")
			}
			if s.AskPlan = approve == "plan"; !s.AskPlan && approve != "" {
				return usageError("--approve is %q; give plan, or leave it out", approve)
			}
			err := readWish(&s.Text, &s.Labels, &s.Priority, labels, priority)
			if err != nil {
				return err
			}
			w, err := b.wish(cmd, captain)
			if err != nil {
				return err
			}
			w.Repo, w.Fetch, w.Unconfined, w.Bring, w.NoBring = repo, fetch, unconfined, is.Bring, is.NoBring
			o, err := y.CheckSession(cmd.Context(), w, s)
			b.tellDefects(o)
			if err != nil {
				return orderError(problem.At(err, problem.Base, baseFrom))
			}
			if err := b.agree(cmd.Context(), o); err != nil {
				return err
			}
			return b.setSail(cmd, o, detach, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&s.Text, "task", "t", "", "what you want, or - for what standard input says (default: nothing yet)")
	f.StringVar(&labels, "labels", "", "words by which it is found, like backend,auth")
	f.StringVar(&priority, "priority", "P2", "how urgent it is, from P0 to P4")
	f.IntVarP(&s.Workers, "workers", "w", 3, "how many workers")
	f.IntVar(&s.Validators, "validators", 1, "how many review work before it is merged; 0 merges without review")
	f.StringVar(&approve, "approve", "", "plan: ask me before workers begin with what an epic was broken down into")
	f.StringVarP(&repo, "repo", "r", ".", "repository: owner/repo, a URL or a path")
	f.StringVar(&file, "config", "", "captain.yaml to go by instead of the repository's; all that it says counts")
	f.StringVar(&s.Branch, "branch", "", "the branch (default: feat/ and the first words of the task, or feat/work-… when it has none)")
	f.StringVar(&s.Base, "base", "", "branch, tag or commit to begin at (default: the newest commit of the repository's own branch)")
	f.StringVar(&s.Redis, "redis", "", "address of a Redis where other hubs may share the tasks, like redis://HOST:6379; its password is in REDIS_PASSWORD")
	f.BoolVar(&s.Beads, "beads", false, "continue with the issues of Beads that are ready where it begins")
	f.BoolVar(&fetch, "fetch", false, fetchUsage)
	f.StringVar(&s.Verify, "verify", "", "shell command that must succeed on the branch when all is done")
	f.String("provider", "", "where ships come from: "+strings.Join(launch.Providers(), ", "))
	f.String("agent", "", "the program that codes (default claude)")
	f.String("model", "", "model that the agent is asked to use")
	costFlags(cmd)
	f.String("agent-version", "", agentVersionUsage)
	f.Bool("no-telemetry", false, noTelemetryUsage)
	f.BoolVar(&unconfined, "unconfined", false, "agree to agents on this machine or on hosts that no sandbox holds")
	bringFlags(cmd, &is)
	f.BoolVar(&tui, "tui", false, "open the dashboard as soon as the session sails, as is usual on a terminal, or start nothing")
	f.BoolVar(&detach, "detach", false, "return as soon as the session sails, also on a terminal")
	jsonFlag(cmd, &asJSON, reflect.TypeFor[fleet.Board]())
	cmd.MarkFlagsMutuallyExclusive("tui", "detach", "json")
	return cmd
}

// checkRedisFlag says what is wrong with --redis.
func checkRedisFlag(address string) error {
	if address == "" {
		return nil
	}
	if err := redislog.CheckURL(address); err != nil {
		return usageError("--redis %w", err)
	}
	return nil
}

// flagOf maps keys of captain.yaml to the flags with the same meaning.
var flagOf = map[string]string{"workers.count": "workers", "validators.count": "validators", "project.baseBranch": "base", "verify": "verify", "approve": "approve", "redis.url": "redis"}

// useCaptain sets flags that were not given from a captain.yaml. It returns the file and line that set the base of
// the session, "" for none.
func useCaptain(cmd *cobra.Command, file *config.Captain, s *launch.Session) (baseFrom string) {
	s.Planners = file.Int("planners.count", 1)
	ships := file.Int("planners.count", 0)
	for key, flag := range flagOf {
		f := cmd.Flags().Lookup(flag)
		text, from := file.Text(key)
		if from == "" || f.Changed || flag == "redis" && !file.Named {
			continue
		}
		_ = f.Value.Set(text) // the file's reader checked the value already
		ships += file.Int(key, 0)
		if flag == "base" {
			baseFrom = from + ": " + key
		}
	}
	if file != nil && !file.Named {
		s.FromRepository = ships
	}
	return baseFrom
}

// maxValidators is the largest number of validators.
const maxValidators = 10

func addCmd(b *bridge) *cobra.Command {
	var voyage string
	var direct bool
	var w taskWords
	cmd := &cobra.Command{
		Use:   "add TEXT",
		Short: "Ask a session for something more, or add a task to a plan",
		Long: `Ask for something more while a voyage sails. A session's planner breaks it down into tasks. In a voyage from a plan, and with --task in
a session, it is one task, which workers claim: the first line of the text is what it is called.`,
		Example: `ocaptain add "a page for the user's profile" --labels frontend --priority P1
ocaptain add - < wish.md
ocaptain add "Update the changelog" --after 7,8 --check "make docs"`,
		Args: wantArgs("TEXT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := api.EpicRequest{Text: args[0]}
			if err := readWish(&r.Text, &r.Labels, &r.Priority, w.labels, cmp.Or(w.priority, "P2")); err != nil {
				return err
			}
			if _, err := tasks.NewEpic(r.Text, r.Labels, r.Priority); err != nil {
				return usageError("%v", err)
			}
			w.subject, w.description, _ = strings.Cut(r.Text, "\n")
			w.description = cmp.Or(strings.TrimSpace(w.description), w.subject)
			e, err := w.edit(cmd, nil)
			if err != nil {
				return err
			}
			d, client, err := b.voyageAtHelm(cmd.Context(), voyage)
			if err != nil {
				return err
			}
			if voyage, err := fleet.LoadVoyage(d); err != nil {
				return err
			} else if !voyage.Kind.TakesEpics() || direct {
				return b.changeTask(cmd.Context(), client, d, *e)
			}
			if len(e.Blocks)+len(e.BlockedBy) > 0 || e.Verify != nil || e.Run != nil || e.Ship != nil || e.Agent != nil || e.Model != nil {
				return usageError("a session's planner decides what waits for what, and who does it; for a task as you say it, add --task")
			}
			return b.askFor(cmd.Context(), client, d, r)
		},
	}
	voyageFlag(b, cmd, &voyage)
	w.flags(cmd)
	cmd.Flags().BoolVar(&direct, "task", false, "add it as one task, and ask no planner")
	return cmd
}

// askFor gives a session one more epic.
func (b *bridge) askFor(ctx context.Context, client *api.Client, d fleet.Dir, r api.EpicRequest) error {
	added, err := client.AddEpic(ctx, d.ID(), r)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%s is asked for as task %s\n", words.FitWidth(clean.Line(words.FirstLine(r.Text)), maxGoal), clean.Line(added.Task))
	return nil
}

// readText reads what the captain wants from standard input when text is "-". It reads one byte beyond the limit, so that a
// caller can tell that the text is too long.
func readText(text *string) error {
	if *text != "-" {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(os.Stdin, tasks.MaxCommand+1))
	*text = string(raw)
	return err
}

var priorities = pattern.New(`^[Pp]?[0-4]$`)

// readWish reads what the captain wants: its text, from standard input for "-", its labels and its priority.
func readWish(text *string, list *[]string, urgency *int, labels, priority string) error {
	if err := readText(text); err != nil {
		return err
	}
	*text = strings.TrimRight(*text, "\n")
	*list = append(*list, taskfile.List(labels)...)
	var err error
	*urgency, err = readPriority(priority)
	return err
}

// readPriority reads a priority from P0, the most urgent, to P4.
func readPriority(text string) (int, error) {
	if !priorities().MatchString(text) {
		return 0, usageError("--priority is %q; give one from P0, the most urgent, to P4", clean.Line(text))
	}
	return int(text[len(text)-1] - '0'), nil
}
