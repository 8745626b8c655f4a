package planfile

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"ocaptain/tasks/pattern"
)

const scriptFile = "verify.sh"

// script reads verify.sh and has bash parse it, if bash is installed.
func (r *reader) script() {
	data, ok := r.readFile(scriptFile, maxScript, "write a shell script that succeeds only when the work is right")
	if !ok {
		return
	}
	r.plan.Verify = data
	bad := func(s Severity, line int, problem, fix string) {
		d := Defect{Severity: s, File: scriptFile, Problem: problem, Fix: fix}
		if line > 0 {
			d.Line, d.Column = line, 1
		}
		r.report(d)
	}
	if i := bytes.Index(data, []byte("\r\n")); i >= 0 {
		line, _ := position(data, i)
		bad(Error, line, "has Windows line endings, which no shell runs", "save it with Unix line endings")
		return
	}
	if !commands(data) {
		bad(Warning, 0, "has no commands, so it checks nothing", "let it run what the tasks have made")
		return
	}
	if line, problem := syntax(data); problem != "" {
		bad(Error, line, "does not parse: "+problem, "correct it; bash -n "+scriptFile+" shows the place")
	}
}

// commands reports whether a script contains more than comments.
func commands(script []byte) bool {
	for line := range bytes.Lines(script) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return true
		}
	}
	return false
}

var (
	shells     = pattern.New(`^#![ \t]*\S*/(env[ \t]+(-S[ \t]+)?)?(sh|bash|dash|ksh)\b`)
	complained = pattern.New(`line (\d+): (.*)`)
)

// syntax has bash parse a script without running it. It returns the first error and its line, or ""
// if the script has no error, is for another interpreter, or this machine has no bash.
func syntax(script []byte) (line int, problem string) {
	if bytes.HasPrefix(script, []byte("#!")) && !shells().Match(script) {
		return 0, ""
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return 0, ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-n", "/dev/stdin")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"} // without BASH_ENV, which bash would read
	cmd.Stdin = bytes.NewReader(script)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); !exited || ctx.Err() != nil {
		return 0, "" // no error, or bash itself does not work here
	}
	first, _, _ := strings.Cut(said.String(), "\n")
	if m := complained().FindStringSubmatch(first); m != nil {
		line, _ = strconv.Atoi(m[1])
		return line, m[2]
	}
	return 0, first
}
