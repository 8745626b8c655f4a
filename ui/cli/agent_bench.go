package cli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/provider/registry"
	"ocaptain/sync/gitflow/origin"
	"ocaptain/tasks"
	"ocaptain/tasks/planfile"
	"ocaptain/theme"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

func agentCmd(b *bridge) *cobra.Command {
	cmd := &cobra.Command{Use: "agent", Short: "Measure what an agent asks of its service"}
	cmd.AddCommand(agentBenchCmd(b))
	return cmd
}

// benchShips is how many ships share a plan of the bench, and benchTasks how many tasks the plan of small tasks has.
const (
	benchShips = 4
	benchTasks = 40
)

// benchKey is the API key of Claude Code in a bench. The stand-in service accepts any key.
const benchKey = "sk-ant-api03-bench-0123456789-abcdefghij"

// benchRuns names the runs of the bench, in order.
var benchRuns = []string{"session", "harbor", "small"}

func agentBenchCmd(b *bridge) *cobra.Command {
	var asJSON bool
	var against, version string
	cmd := &cobra.Command{
		Use:   "bench [RUN...]",
		Short: "Count the tokens that Claude Code asks for whole voyages",
		Long: `Have the real Claude Code do whole voyages on ships on this machine, in a temporary home, and count what it asks of
its service, by role. A stand-in on this machine takes the place of that service: no account is needed, nothing is
billed, and no request leaves the machine. The stand-in does what a task says and thinks nothing, so what is counted
is what stands around the work: instructions, definitions of tools, results, and what the conversation had before.

The runs are: session, that of ocaptain demo --session; harbor, the plan ` + demoPlan + `; small, ` + fmt.Sprint(benchTasks) + ` small tasks.
All together they take about three minutes. What config.yaml says in agents.claude and search counts: to see what a
change of that brings, measure before, and after it with --against. A token is 4 bytes of a request.

INPUT is all tokens that were asked, and CACHED those of them that the request before in the same conversation had
too. REFUSED counts calls of tools that were refused or failed, WOKEN how often an agent was told something, and
IN VAIN how often it had done nothing before it was told the next thing, its beginning aside. PER TASK is the input
for each completed task. Role "?" is the one question by which an agent is tried before its ship sails.`,
		Example: `ocaptain agent bench
ocaptain agent bench small --agent-version latest
ocaptain agent bench --json >before.json
ocaptain agent bench --against before.json`,
		Args:      cobra.OnlyValidArgs,
		ValidArgs: benchRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			before, err := readBench(against)
			if err != nil {
				return err
			}
			c, err := b.config(cmd)
			if err != nil {
				return err
			}
			found, err := b.bench(cmd.Context(), c, orWord(version, c.AgentVersion("claude")), args)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(b.raw, found)
			}
			benchTable(found, before).write(b.out, b.width)
			return nil
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "file that --json made earlier: show the change since")
	cmd.Flags().StringVar(&version, "agent-version", "", agentVersionUsage)
	jsonFlag(cmd, &asJSON, reflect.TypeFor[[]benchRun]())
	cmd.MarkFlagsMutuallyExclusive("json", "against")
	return cmd
}

// benchRun is the result of one run.
type benchRun struct {
	Name  string           `json:"name"`
	Tasks int              `json:"tasks"` // completed tasks
	Roles []loopback.Count `json:"roles"`
	All   loopback.Count   `json:"all"`

	// PerTask is the input in tokens for each completed task, by role and in total.
	PerTask map[string]int `json:"perTask"`
}

// newBenchRun sums the requests of a run that completed so many tasks.
func newBenchRun(name string, done int, roles []loopback.Count) benchRun {
	r := benchRun{Name: name, Tasks: done, Roles: roles, All: loopback.Count{Role: "all"}, PerTask: map[string]int{}}
	for _, u := range roles {
		r.All = r.All.Add(u)
		r.PerTask[u.Role] = u.Input / done
	}
	r.PerTask[r.All.Role] = r.All.Input / done
	return r
}

// readBench reads the output of an earlier bench; it returns nothing for the file "".
func readBench(file string) (runs []benchRun, err error) {
	if file == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &runs)
	}
	if err != nil {
		return nil, usageError("--against: %w; give a file that ocaptain agent bench --json has made", err)
	}
	return runs, nil
}

// benchTable returns a table with a line for each role of each run, and the change since an earlier bench when there
// was one.
func benchTable(runs, before []benchRun) *table {
	t := table{heads: []string{"RUN", "ROLE", "REQUESTS", "INPUT", "CACHED", "REFUSED", "WOKEN", "IN VAIN", "PER TASK"}}
	if before != nil {
		t.heads = append(t.heads, "BEFORE", "OF THAT")
	}
	for _, r := range runs {
		was := map[string]int{}
		if i := slices.IndexFunc(before, func(b benchRun) bool { return b.Name == r.Name }); i >= 0 {
			was = before[i].PerTask
		}
		for _, u := range append(slices.Clone(r.Roles), r.All) {
			style := theme.Plain
			if u.Role == r.All.Role {
				style = theme.Title
			}
			texts := []string{r.Name, orWord(u.Role, "?")}
			for _, n := range []int{u.Requests, u.Input, u.Cached, u.Refused, u.Woken, u.InVain, r.PerTask[u.Role]} {
				texts = append(texts, words.Amount(int64(n)))
			}
			if before != nil {
				var of *float64
				if n := was[u.Role]; n > 0 {
					share := float64(r.PerTask[u.Role]) / float64(n)
					of = &share
				}
				texts = append(texts, words.Amount(int64(was[u.Role])), words.Share(of))
			}
			var row []cell
			for _, text := range texts {
				row = append(row, cell{text, style})
			}
			t.add(row...)
		}
	}
	return &t
}

// bench runs the named runs, or all runs when none is named, and returns their results. It writes its progress to
// standard error.
func (b *bridge) bench(ctx context.Context, c config.Config, version string, names []string) (all []benchRun, err error) {
	aside := *b
	aside.out, aside.screen = b.err, false
	err = aside.demonstrate(ctx, false, func(home string) error {
		for _, name := range benchRuns {
			if len(names) > 0 && !slices.Contains(names, name) {
				continue
			}
			fmt.Fprintln(b.err, theme.Title.Render(name))
			r, err := aside.benchRun(ctx, c, home, version, name)
			if err != nil {
				return fmt.Errorf("run %s: %w", name, err)
			}
			all = append(all, r)
		}
		return nil
	})
	return all, err
}

// benchRun runs one run of the bench.
func (b *bridge) benchRun(ctx context.Context, c config.Config, home, version, name string) (benchRun, error) {
	service, err := loopback.Start(loopback.Worker)
	if err != nil {
		return benchRun{}, err
	}
	defer service.Close()
	if err := b.openTo(service, home); err != nil {
		return benchRun{}, err
	}
	o, err := b.benchOrder(ctx, home, version, name)
	if err != nil {
		return benchRun{}, orderError(err)
	}
	o.Tools, o.Conversation, o.Search = c.ClaudeTools, c.Conversation, c.Search
	o.Unconfined = o.Unwalled != nil // the stand-in makes the agent run only commands of this file
	d, err := b.startVoyage(ctx, o)
	if err != nil {
		return benchRun{}, err
	}
	board, err := b.seeItEnd(ctx, c, d)
	if err != nil {
		return benchRun{}, err
	}
	done := 0
	for i := range board.Tasks {
		if t := &board.Tasks[i]; t.Status == tasks.Completed && t.Type() != tasks.Epic {
			done++
		}
	}
	if board.Phase != fleet.Complete {
		return benchRun{}, fmt.Errorf("it ended as %s, with %d of %s completed: %s", board.Phase, done, words.Counted(len(board.Tasks), "task"), clean.Text(board.Verify.Output))
	}
	r := newBenchRun(name, done, service.Counts())
	client, err := b.connectHelm(ctx) // each run has the machine to itself
	if err != nil {
		return r, err
	}
	return r, client.Sink(ctx, d.ID(), nil)
}

// openTo lets ships on this machine reach the service, and configures agents to use only this service.
func (b *bridge) openTo(service *loopback.API, home string) error {
	at, err := url.Parse(service.URL)
	if err != nil {
		return err
	}
	b.cwd = home // variables in a .env elsewhere do not count
	b.environ = slices.DeleteFunc(slices.Clone(b.environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return config.IsSecret(name) || strings.HasSuffix(name, "_BASE_URL")
	})
	b.environ = append(b.environ, "ANTHROPIC_BASE_URL="+service.URL, "ANTHROPIC_API_KEY="+benchKey)
	if err := os.MkdirAll(b.hub.Config, 0o700); err != nil {
		return err
	}
	return os.WriteFile(b.hub.ConfigFile(), []byte("local:\n  expose: ["+at.Port()+"]\n"), 0o600)
}

// benchOrder returns the order for a run.
func (b *bridge) benchOrder(ctx context.Context, home, version, name string) (*launch.Order, error) {
	y := b.launchYard()
	w := launch.Wish{Agent: "claude", AgentVersion: version, Provider: registry.Here().Name}
	if name == "session" {
		w.Repo = filepath.Join(home, "kite")
		if _, err := origin.Prepare(ctx, w.Repo, "", "main", origin.Options{}); err != nil {
			return nil, err
		}
		text, err := toldEpic()
		if err != nil {
			return nil, err
		}
		return y.CheckSession(ctx, w, launch.Session{Text: text, Priority: 2, Workers: 3, Validators: 1, Branch: "feat/shop", Verify: "test -s README.md"})
	}
	w.Plan, w.Repo, w.Ships = demoPlan, "none", fmt.Sprint(benchShips)
	o, err := y.CheckWish(ctx, w)
	if err != nil {
		return nil, err
	}
	if name == "small" {
		o.Plan = smallPlan()
	}
	for i := range o.Plan.Tasks {
		o.Plan.Tasks[i] = told(o.Plan.Tasks[i])
	}
	return o, nil
}

// smallPlan returns a plan of small tasks that wait for no other task.
func smallPlan() *planfile.Plan {
	p := &planfile.Plan{Name: "small", Objective: "Write the parts.", Verify: []byte("#!/bin/sh\ncd ~/voyage/workspace && test \"$(cat part-* | wc -l)\" = " + fmt.Sprint(benchTasks) + "\n")}
	for i := range benchTasks {
		id := fmt.Sprint(i + 1)
		p.Tasks = append(p.Tasks, tasks.Task{ID: id, Subject: "Write part " + id, Status: tasks.Pending, Metadata: map[string]any{"run": "echo " + id + " >part-" + id}})
	}
	p.Graph = tasks.NewGraph(p.Tasks)
	return p
}

// told returns a task in the form that the stand-in for a model reads: its description holds the commands to run.
func told(t tasks.Task) tasks.Task {
	t = t.Clone()
	t.Description = strings.TrimSpace(t.Description + "\n" + commands(t.Run(), t.Review()))
	delete(t.Metadata, "run")
	delete(t.Metadata, "review")
	return t
}

// commands returns lines that tell the stand-in to run one command, and to review with another, "" for no review. After a conflict, the
// stand-in runs the command again on the merged tree.
func commands(run, review string) string {
	lines := "RUN: git reset -q --hard; git clean -fdq; " + oneLine(run)
	if review != "" {
		lines += "\nREVIEW: (" + oneLine(review) + ")" // in parentheses, as the command may exit
	}
	return lines
}

// oneLine returns a script as a command in one line.
func oneLine(script string) string {
	if !strings.Contains(script, "\n") {
		return script
	}
	return through(script, "sh")
}

// through returns a command in one line that pipes a text to another command.
func through(text, command string) string {
	return "echo " + base64.StdEncoding.EncodeToString([]byte(text)) + " | base64 -d | " + command
}

// toldEpic returns the epic of the session demonstration, in the form that the stand-in for a model reads.
func toldEpic() (string, error) {
	title, rest, _ := strings.Cut(demoEpic, "\n")
	var list struct {
		Tasks []map[string]any `json:"tasks"`
	}
	if err := json.Unmarshal([]byte(rest[strings.Index(rest, "{"):strings.LastIndex(rest, "}")+1]), &list); err != nil {
		return "", err
	}
	for _, t := range list.Tasks {
		run, _ := t["run"].(string)
		review, _ := t["review"].(string)
		t["description"] = commands(run, review)
		delete(t, "run")
		delete(t, "review")
	}
	raw, err := json.Marshal(list)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(title, "# ") + "\n\nRUN: " + through(string(raw), "ocaptain task plan -"), nil
}
