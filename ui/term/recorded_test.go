package term

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program is a program to record while keys are pressed.
type program struct {
	name  string
	argv  []string
	steps []step
}

// step presses keys and waits for text.
type step struct{ keys, until string }

// programs are the programs that people use most in a terminal. They work on files in dir.
func programs(t testing.TB, dir string) []program {
	t.Helper()
	source := filepath.Join(dir, "source.c")
	log := filepath.Join(dir, "build.log")
	for name, text := range map[string]string{source: sourceText(), log: logText(1500)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []program{
		{"vim", []string{"vim", "-u", "NONE", "-i", "NONE", "-n", "-c", "syntax on | set number nocp", source}, []step{
			{"", "1 /* the first"},
			{"\x06\x06", "function_25("},
			{"/function_150\r", "function_151("},
			{":split\r:4\r", "4 static int function_1("},
			{"ddpO/* 日本語 and é */\x1b", "日本語"},
			{"u:vsplit\rG", "200 "},
			{":only\r:set nonumber\rgg", " \nstatic int function_0("},
			{"VjjjjJ:%s/int/long/g\r", "substitutions"},
		}},
		{"less", []string{"less", "-R", log}, []step{
			{"", "step 0001"},
			{"   ", "step 0060"},
			{"/step 0700\r", "step 0705"},
			{"bbkkk", "step 0677"},
			{"G", "step 1500"},
			{"g", "step 0001"},
			{"h", "SUMMARY"},
		}},
		{"htop", []string{"htop", "-d", "2"}, []step{
			{"", "PID"},
			{"t", "Help"},
			{"\x1bOB\x1bOB", "Help"},
			{"h", "htop 3"},
			{"q", "PID"},
		}},
		{"log", []string{"sh", "-c", `cat "$1"; exec sleep 1000`, "sh", log}, []step{{"", "step 1500"}}},
		{"list", []string{"sh", "-c", "ls -lR --color=always /etc; printf 'done '; exec sleep 1000"}, []step{{"", "done "}}},
	}
}

func sourceText() string {
	var b strings.Builder
	b.WriteString("/* the first line */\n#include <stdio.h>\n")
	for i := range 198 {
		fmt.Fprintf(&b, "static int function_%d(const char *s) { return printf(\"%%s → %d\\n\", s); } // %s\n", i, i, strings.Repeat("x", i%90))
	}
	return b.String()
}

func logText(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\x1b[2m%02d:%02d\x1b[0m \x1b[1;3%dm%s\x1b[0m step %04d \x1b[38;5;%dmcompile\x1b[0m src/module_%d.c %s\n",
			i/60%24, i%60, 1+i%7, []string{"INFO", "WARN", "ERROR", "✓ ok"}[i%4], i+1, i%256, i, strings.Repeat("─", i%70))
	}
	return b.String()
}

// cuts is at how many places of each recording screens are compared.
const cuts = 5

func TestRecordingsAreAsInTmux(t *testing.T) {
	m := newTmux(t, testCols, testRows)
	c := m.attach(testCols, testRows)
	var trials []trial
	for _, pr := range programs(t, t.TempDir()) {
		trials = append(trials, cut(pr.name, pr.record(t))...)
		trials = append(trials, cut(pr.name+", attached", c.run(pr))...)
	}
	complain(t, m.judge(trials), 0)
}

// cut makes trials of prefixes of a recording.
func cut(name string, data []byte) []trial {
	data = bytes.ReplaceAll(data, []byte("\x1b[6n"), []byte("\x1b[5n")) // feed uses this query itself
	var trials []trial
	for i := range cuts {
		trials = append(trials, one(fmt.Sprintf("%s %d/%d", name, i+1, cuts), string(data[:len(data)*(i+1)/cuts])))
	}
	return trials
}

// record returns what a program writes to its own terminal, set up as in tmux.
func (pr program) record(t testing.TB) []byte {
	t.Helper()
	cmd := exec.Command(pr.argv[0], pr.argv[1:]...)
	cmd.Env = append(environment(), "TERM=tmux-256color")
	v := view(t, cmd, testCols, testRows)
	for _, s := range pr.steps {
		v.press(s.keys)
		v.until(s.until)
	}
	return v.take()
}

// run runs a program in a window, and returns the client's output, which finally shows the window's content.
func (c *client) run(pr program) []byte {
	c.m.t.Helper()
	c.take()
	args := []string{"new-window", "-t", "s:", "-P", "-F", "#{pane_id}"}
	id := strings.TrimSpace(c.m.run(append(args, pr.argv...)...))
	for _, s := range pr.steps {
		if s.keys != "" {
			c.m.run("send-keys", "-t", id, "-l", s.keys)
		}
		c.until(s.until)
	}
	if pr.name != "htop" { // htop runs on
		c.equals(&pane{m: c.m, id: id}, pr.name)
	}
	data := c.take()
	c.m.run("kill-window", "-t", id)
	return data
}
