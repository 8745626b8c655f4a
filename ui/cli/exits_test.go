package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/tasks/planfile"

	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/private/privatetest"
	"ocaptain/fleet/telemetry"
	"ocaptain/tasks"
	"ocaptain/ui/jsonout/jsonouttest"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/planmake"
)

var evil = cleantest.Hostile

// exitsOf returns, for each command, the arguments with which TestExits runs it. Every command is here or in unwalked:
// a new command fails the test until its author has put it into one of them. task is a task that a ship holds, waits a
// task whose work waits for the captain, dir a directory.
func exitsOf(task, waits, ship, dir string) map[string][][]string {
	plan := filepath.Join(dir, "plan")
	json := []string{"--json"}
	return map[string][][]string{
		"plan check":       {{plan}, {plan, "--json"}, {evil}, {"example:" + evil}},
		"plan graph":       {{plan}, {plan, "--json"}, {plan, "--dot"}, {plan, "--mermaid"}, {evil}},
		"plan new":         {{filepath.Join(dir, "new"+evil), "--name", "a" + evil}, {filepath.Join(dir, "fresh\x1b[2J\u202e"), "--name", "fresh"}},
		"sail":             {{plan}, {evil}, {"example:tiny", "--agent", evil}, {"example:tiny", "--agent", "script", "--unconfined"}, {"example:tiny", "--repo", evil}, {"example:tiny", "--provider", evil}},
		"dispatch":         {{"--repo", evil, "--command", "x"}, {"--repo", dir, "--command", evil}, {"--repo", dir, "--agent", evil, "--command", "x"}},
		"start":            {{"--repo", evil, "--task", "x"}, {"--repo", dir, "--task", evil}, {"--repo", dir, "--agent", evil}, {"--base", evil}, {"--branch", evil}, {"--config", evil}, {"--repo", dir, "--task", "x"}, {"--config", filepath.Join(dir, "captain.yaml")}},
		"join":             {{redisBeside(dir), testVoyage}, {redisBeside(dir), testVoyage, "--json"}, {redisBeside(dir), testVoyage, "--add", evil}, {redisBeside(dir), testVoyage, "--workers", "1"}, {redisBeside(dir), testVoyage, "--workers", "1", "--agent", evil}, {"redis://127.0.0.1:1", testVoyage}, {"redis://127.0.0.1:1", evil}, {evil, testVoyage}},
		"init":             {{evil}, {dir}, {filepath.Join(dir, "plan")}},
		"add":              {{evil}, {"x", "--labels", evil}, {"x", "--priority", evil}},
		"pr":               {nil, {"--push"}, {"--as", evil}, {evil}},
		"push":             {{task}, {task, "--as", evil}, {evil}},
		"pool status":      {nil, json, {evil}},
		"pool history":     {nil, json, {evil}},
		"pool add":         {{evil}},
		"pool log":         {{evil}},
		"pool rm":          {{evil}},
		"pool drain":       {{evil}},
		"status":           {nil, json, {"--all"}, {"--all", "--json"}, {evil}},
		"voyages":          {nil, json, {"--all"}, {"--search", "evil"}, {"--since", "1h"}, {evil}},
		"voyages archive":  {{testVoyage}, {evil}},
		"voyages restore":  {{evil}, {filepath.Join(dir, evil)}},
		"voyages rm":       {{testVoyage, "-f"}, {evil}},
		"needs":            {nil, json, {evil}},
		"answer":           {{evil, "yes"}, {"00000000", evil}, {"00000000"}},
		"wait":             {{"--until", "needs"}, {"--timeout", "1ms"}, {"--until", evil}, {evil}},
		"task accept":      {{"1"}, {"2", "--force"}, {"2"}, {"3"}, {"3", "--force"}, {evil}},
		"task reject":      {{"1"}, {"2", "--why", evil}, {evil}},
		"tasks":            {nil, json, {"--status", evil}, {"--status", "in_progress"}},
		"logs":             {nil, json, {"--grep", "evil"}, {"--grep", "(" + evil}, {"--provision"}, {testVoyage, evil}, {"--role", evil}, {"--tail", "3"}},
		"diff":             {nil, {task}, {ship}, {evil}},
		"open":             {{task}, {ship}, {ship, evil}, {evil}},
		"shell":            {{ship}, {evil}},
		"nc":               {{testVoyage + "/" + ship, "22"}, {evil, "22"}, {"host", evil}, {testVoyage + "/" + evil, "22"}},
		"take":             {nil, {task}, {task, "--merge"}, {task, "--as", evil}, {testVoyage, "--dir", dir}, {evil}},
		"clone":            {{"--dir", filepath.Join(dir, "clone\x1b[2J\u202e")}, {"--dir", filepath.Join(dir, evil, "none")}},
		"send":             {{ship, "hello"}, {"--all", "hello"}, {evil, "hello"}, {"--role", evil, "hello"}, {"-f", evil, ship}},
		"interrupt":        {{ship}, {"--all"}, {evil}},
		"pause":            {nil, {"--until", evil}, {"--until", ""}, {"--ship", ""}, {"--now", "--until", "08:00"}, {"--until", ""}, {"--ship", ""}, {evil}},
		"resume":           {nil, nil, {"--all"}, {"--ship", ""}, {evil}},
		"budget":           {{evil}, {"NaN"}, {"0"}, {"20"}},
		"verify":           {nil, json},
		"cancel":           {{task, "-f"}, {evil, "-f"}},
		"requeue":          {{task}, {evil}},
		"edit":             {{task}, {task, "--priority", "P0"}, {task, "--subject", evil}, {task, "--after", evil}, {task, "--ship", evil}, {task, "-f", evil}, {evil, "--priority", "P0"}},
		"revert":           {{task}, {task, "-f"}, {evil}},
		"split":            {{task}, {task, evil}, {task, "a", "b", "--in-order"}, {task, "-f", evil}, {evil, "a"}},
		"hold":             {{task}, {evil}},
		"repair":           {{"--from", "git"}, {"--from", "git,beads", "-f"}, {"--from", evil}, {"--from", "beads"}, {"--from", "git", "--voyage", evil}},
		"restore":          {nil, {"--at", evil}, {"--at", "1s", evil}, {"--at", "1000h"}, {"--voyage", evil}},
		"conflicts":        {{"--go-on"}, nil, json, {"--keep", "hub"}, {"--keep", evil}, {"--ship", evil}, {"--file", evil, "--keep", "both"}, {evil}},
		"approve":          {{waits}, {evil}},
		"reject":           {{waits}, {evil}},
		"ships":            {{"0"}, {evil}, {"1", "-f"}},
		"plan from":        {{testVoyage, filepath.Join(dir, "from\x1b[2J")}, {evil, dir}},
		"ship add":         {nil, {"--provider", evil}},
		"ship rm":          {{ship}, {ship, "--force"}, {evil}},
		"ship replace":     {{ship}, {ship, "--force"}, {evil}},
		"sink":             {nil, {"--force"}, {"--all"}, {evil}},
		"sweep":            {nil, {"--dry-run"}, {"--dry-run", "--json"}, {"--force"}, {evil}, {"--provider", evil}, {"evil" + evil}},
		"doctor":           {nil, json, {"--provider", evil}, {"--agent", evil}},
		"skills list":      {nil, json, {"--project", evil}},
		"skills show":      {{evil}},
		"skills install":   {{"--project", dir}, {evil}, {"--project", evil}},
		"skills uninstall": {{"--project", dir}, {evil}},
		"helm status":      {nil, json},
		"cost":             {nil, json, {"--by", "model"}, {"--by", "task"}, {"--by", "hour", "--json"}, {"--by", evil}, {evil}},
		"man":              {{filepath.Join(dir, "man"+evil)}, {filepath.Join(dir, evil, "none")}},
		"schema":           {{"status"}, {"pool", "history"}, {"sink"}, {evil}},
		"search":           {{"evil"}, {"evil", "--json"}, {"--regex", "evil"}, {"--regex", "(" + evil}, {"--path", "/" + evil, "evil"}, {evil}},
		"discoveries":      {nil, json, {"-v", testVoyage}, {"-v", testVoyage, "--stale", "--json"}, {"-v", evil}},
		"export":           {{"--csv"}, json, {testVoyage, "--csv"}, {testVoyage, "--json"}, {"--otlp", "http://127.0.0.1:1/" + evil}, {"--csv", evil}, {"--otlp", "http://127.0.0.1:1", "--header", evil + "="}, {"--otlp", "http://127.0.0.1:1", "--header-file", evil}},
	}
}

// unwalked lists commands that print nothing from outside, or that other tests cover.
var unwalked = map[string]string{
	"agent bench":      "it sails as demo does, and prints numbers",
	"uninstall":        "it prints paths of its own; what is lost with a voyage is walked by voyages rm",
	"demo":             "it sails; its news are walked by TestExitsBesideCommands",
	"plan make":        "it runs Claude Code; what it prints is walked by TestExitsBesideCommands",
	"attach":           "it opens the dashboard, whose exits are its own",
	"helm run":         "it is helm, and prints nothing",
	"helm guard":       "it starts helm, and prints nothing",
	"helm stop":        "it prints words of its own",
	"telemetry status": "it prints numbers, and addresses that the captain chose",
	"telemetry run":    "it is the receiver, and prints nothing",
	"telemetry-start":  "it prints words of its own",
	"telemetry-stop":   "it prints words of its own",
	"mcp":              "the agent reads it",
	"beads merge":      "git runs it; it prints nothing but errors about files that git names",
	"task list":        "the agent on a ship reads it",
	"task claim":       "the agent on a ship reads it",
	"task complete":    "the agent on a ship reads it",
	"task plan":        "the agent on a ship reads it",
	"task review":      "the agent on a ship reads it",
	"task release":     "the agent on a ship reads it",
	"task wait":        "the agent on a ship reads it",
}

// leaves returns the commands that run something, by their full names.
func leaves(root *cobra.Command) map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		switch words := strings.TrimPrefix(c.CommandPath(), "ocaptain "); {
		case words == "aboard" || words == "completion" || words == "help" || c.GroupID == groupMore:
		case c.HasSubCommands():
			if maps.Copy(all, leaves(c)); c.Flags().Lookup("json") != nil { // c prints something itself
				all[words] = c
			}
		default:
			all[words] = c
		}
	}
	return all
}

// No command writes anything from outside to the terminal other than as plain text: no board, log, plan, repository,
// typed name or answer of helm, whether helm does what it is asked or refuses.
func TestExits(t *testing.T) {
	t.Cleanup(privatetest.Runtime())
	for _, w := range walked {
		t.Run(fmt.Sprintf("all %v refused %v", w.all, w.refuses), func(t *testing.T) { walkExits(t, w.all, w.refuses) })
	}
}

// hostileTelemetry makes an agent name a model with control characters.
func hostileTelemetry(t *testing.T, dir string) {
	t.Helper()
	store, err := telemetry.Open(dir, telemetry.DefaultKeep)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	attrs := map[string]any{"key": "model", "value": map[string]any{"stringValue": "=" + evil}}
	record := map[string]any{"timeUnixNano": "1795856400000000000", "body": map[string]any{"stringValue": "claude_code.api_error"}, "attributes": []any{attrs}}
	scope := map[string]any{"logRecords": []any{record}}
	body, err := json.Marshal(map[string]any{"resourceLogs": []any{map[string]any{"scopeLogs": []any{scope}}}})
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/logs", bytes.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	telemetry.NewReceiver(store, usage.Source{Ship: evil}).ServeHTTP(answer, req)
	if answer.Code != http.StatusOK {
		t.Fatal(answer.Body)
	}
}

// needsWork lists commands whose JSON reports ships or work, which this voyage lacks.
var needsWork = []string{"sail", "start", "dispatch", "diff", "take"}

func walkExits(t *testing.T, all, refuses bool) {
	b, out := testBridge(t, 0)
	b.out, b.err, b.live, b.lasting = out, out, true, t.Context()
	board := hostileVoyage(t, b, all)
	hostileHelm(t, b.hub, board, refuses)
	hostileTelemetry(t, telemetry.LocalDir(b.hub.State))
	hostileTelemetry(t, fleet.Dir(filepath.Join(b.hub.Voyages, testVoyage)).Telemetry())
	task, waits, ship := "", "", board.Ships[0].Name
	for _, s := range board.Tasks {
		if s.Status == tasks.InProgress {
			task = s.ID
		}
	}
	for _, s := range board.Steering {
		waits = s.Task
	}
	dir := filepath.Join(t.TempDir(), "evil\x1b[2J\u202e")
	hostilePlan(t, filepath.Join(dir, "plan"))
	hostileSession(t, b, dir)
	t.Chdir(fleet.Dir(filepath.Join(b.hub.Voyages, testVoyage)).Workspace()) // search reads the repository of the working directory
	walks, fits := exitsOf(task, waits, ship, dir), map[string]int{}
	found := leaves(newRoot(b))
	for words := range found {
		if _, ok := walks[words]; !ok && unwalked[words] == "" {
			t.Errorf("exitsOf lacks %q: add arguments with which it prints what comes from outside, or add it to unwalked with the reason", words)
		}
	}
	for _, words := range slices.Sorted(maps.Keys(walks)) {
		if found[words] == nil {
			t.Errorf("there is no command %q: add it in newRoot of root.go, or take it out of exitsOf", words)
		}
		shown := ""
		for _, args := range walks[words] {
			args = append(strings.Fields(words), args...)
			exit := fmt.Sprintf("%.60q", args)
			kind := cleantest.Lines
			if words == "verify" {
				kind = cleantest.Texts
			}
			if slices.Contains(args, "--json") {
				kind = cleantest.JSON
			}
			text := runExit(t, b, out, exit, kind, args...)
			if kind == cleantest.JSON {
				fits[words] += fitsSchema(t, exit, found[words], text)
			}
			shown += text
			onlyHostile(t, b.hub)
		}
		if !strings.Contains(shown, "evil") {
			t.Errorf("%q shows nothing from outside: %.500q", words, shown)
		}
		if found[words].Flags().Lookup("json") != nil && fits[words] == 0 && all && !refuses && !slices.Contains(needsWork, words) {
			t.Errorf("%q printed no JSON that its schema fits: add one to exitsOf", words)
		}
		complete := append(append([]string{"__complete"}, strings.Fields(words)...), "")
		runExit(t, b, out, fmt.Sprint(complete), cleantest.Lines, complete...)
	}
}

// fitsSchema checks that the printed JSON fits the schema of its command and has no field that the schema lacks. It returns the number of
// values.
func fitsSchema(t *testing.T, exit string, cmd *cobra.Command, printed string) (n int) {
	t.Helper()
	schema, err := schemaOf(cmd, true)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(printed, "\n") // an error may come first
	first := max(0, slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "{") || strings.HasPrefix(l, "[") }))
	n, err = jsonouttest.Fits(schema, strings.Join(lines[first:], ""))
	if err != nil && !errors.Is(err, jsonouttest.ErrNoJSON) { // the rest is what the command prints after its JSON
		t.Errorf("%s: %v", exit, err)
	}
	return n
}

// runExit runs a command as Main does and checks what it prints.
func runExit(t *testing.T, b *bridge, out *bytes.Buffer, exit string, kind cleantest.Kind, args ...string) string {
	t.Helper()
	out.Reset()
	b.in = strings.NewReader("no\n")
	root := newRoot(b)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetArgs(args)
	if err := root.ExecuteContext(t.Context()); err != nil {
		printError(b.err, err)
	}
	cleantest.Check(t, exit, out.String(), kind)
	return out.String()
}

// onlyHostile removes the voyages that a command has made, so that one voyage is left.
func onlyHostile(t *testing.T, h fleet.Hub) {
	t.Helper()
	all, err := fleet.Voyages(h.Voyages).List()
	for _, d := range all {
		if d.ID() != testVoyage {
			err = errors.Join(err, os.RemoveAll(string(d)))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestExitsBesideCommands checks the texts of commands that need more than this machine to get so far.
func TestExitsBesideCommands(t *testing.T) {
	b, out := testBridge(t, 0)
	b.out, b.err = out, out
	_, board := loadTest(t, b)
	was := board
	was.Phase, was.Tasks = fleet.Fitting, nil
	cleantest.Fill(&board, true)
	plan, _ := planfile.Open("example:harbor")
	cleantest.Fill(plan, true)
	for _, d := range plan.Tasks {
		d.ID = clean.Line(d.ID)[:1] + evil
	}
	made := planmake.Made{Plan: plan, Defects: planfile.Defects{{Severity: planfile.Error, File: evil, Field: evil, Problem: evil, Fix: evil}}, Draft: evil}
	for exit, show := range map[string]func(){
		"demo": func() {
			out.WriteString(strings.Join(append(boardChanges(was, board), boardChanges(board, was)...), "\n"))
		},
		"plan being made": func() { b.say(evil) },
		"plan made":       func() { printError(out, b.madePlan(planmake.Order{Dir: evil}, made, nil)) },
		"plan put":        func() { _ = b.madePlan(planmake.Order{Dir: evil}, planmake.Made{Plan: plan, Aside: evil}, nil) },
		"plan not made": func() {
			printError(out, b.madePlan(planmake.Order{}, planmake.Made{}, &agent.Failure{Text: evil, Fix: evil}))
		},
		"defects": func() { printDefects(out, plan, made.Defects) },
		"problem": func() {
			printError(out, orderError(&problem.Problem{Kind: problem.Failed, Hint: evil, Err: errors.New(evil)}))
		},
		"many":     func() { printError(out, errors.Join(errors.New(evil), newExitError(Failed, evil, "%s", evil))) },
		"progress": func() { live := &reporter{out: out, live: true, line: map[string]string{}}; reportAll(live.report) },
		"not walled": func() {
			printError(out, b.agreeToWalls(context.Background(), &launch.Order{Unwalled: errors.New(evil)}))
		},
	} {
		out.Reset()
		show()
		text := out.String()
		if exit == "progress" {
			text = strings.ReplaceAll(text, "\x1b[1A\x1b[J", "") // the sequences that we write ourselves
		}
		cleantest.Check(t, exit, text, cleantest.Lines)
		if len(text) == 0 {
			t.Errorf("%s: it shows nothing", exit)
		}
	}
}

func reportAll(report func(api.Progress)) {
	for _, state := range []string{api.StepStarted, api.StepDone, api.StepFailed, api.StepNote, ""} {
		report(api.Progress{Ship: evil, Step: evil, State: state, Text: evil})
		report(api.Progress{State: state, Text: cleantest.Long})
	}
}

// hostilePlan writes a plan that can be read but has defects.
func hostilePlan(t *testing.T, dir string) {
	t.Helper()
	mustMkdir(t, filepath.Join(dir, "tasks"))
	text := func(s string) string { raw, _ := json.Marshal(s); return string(raw) }
	for name, content := range map[string]string{
		"voyage.json":               `{"name": ` + text("a"+evil) + `, "repo": ` + text(evil) + `, ` + text(evil) + `: 1}`,
		"spec.md":                   "# " + evil + "\n",
		"tasks/1.json":              `{"id": ` + text("1"+evil) + `, "subject": ` + text(evil) + `, "blockedBy": [` + text("2"+evil) + `]}`,
		"tasks/2.json":              `{"id": ` + text("2"+evil) + `, "subject": ` + text(evil) + `, "blockedBy": [` + text("1"+evil) + `], "metadata": {"group": ` + text(evil) + `}}`,
		"tasks/3.json":              `{"id": "3", "subject": "three", "blockedBy": [` + text(evil) + `]}`,
		"tasks/" + evil[:90]:        "{",
		"tasks/a\x1b[2J\u202e.json": evil,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
