package exedev

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"ocaptain/fleet/provider"
	"ocaptain/tasks/pattern"
)

// vm is the lobby's description of a machine, in the answer to new and in lists.
type vm struct {
	Name   string `json:"vm_name"`
	Dest   string `json:"ssh_dest"`
	Host   string `json:"ssh_host"`
	User   string `json:"ssh_user"`
	Status string `json:"status"`
}

// stateOf converts the lobby's status. An unknown word is no error.
func (v vm) stateOf() provider.State {
	switch strings.ToLower(v.Status) {
	case "running":
		return provider.Running
	case "creating", "starting", "pending", "restarting":
		return provider.Creating
	case "stopped", "stopping":
		return provider.Stopped
	}
	return provider.Unknown
}

var validHost = pattern.New(`^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$`)

// address parses the destination as ssh would: the address to connect to, and the user, if it names one. It accepts
// any address, since machines may share one.
func (v vm) address() (addr, user string, err error) {
	dest := v.Dest
	if dest == "" {
		dest = v.Host
	}
	host := dest
	if i := strings.LastIndexByte(dest, '@'); i >= 0 {
		user, host = dest[:i], dest[i+1:]
	}
	port := "22"
	if h, p, e := net.SplitHostPort(host); e == nil {
		host, port = h, p
	}
	n, e := strconv.Atoi(port)
	if !validHost().MatchString(host) || len(host) > 253 || e != nil || n < 1 || n > 65535 || len(user) > 200 || strings.ContainsAny(user, " \t\r\n\x00") {
		return "", "", fmt.Errorf("exe.dev tells an address for %s that makes no sense: %.200q", v.Name, dest)
	}
	if user == "" {
		user = v.User
	}
	return net.JoinHostPort(host, port), user, nil
}

// decode decodes an answer. Text that is no JSON comes from a lobby that wants to ask questions first.
func decode(out []byte, into any) error {
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("exe.dev does not answer in JSON, as it does when your key is not registered (run ssh exe.dev once): %s", shortLine(out))
	}
	return nil
}

// failure returns the error in an answer, even if the status says success; "" for none.
func failure(out []byte) string { return wordOf(out, "error") }

// wordOf returns a text field of an answer, "" if it has none.
func wordOf(out []byte, name string) string {
	var told map[string]any
	_ = json.Unmarshal(out, &told) // an answer that is no object has no fields
	word, _ := told[name].(string)
	return shortLine([]byte(word))
}

// reason finds in the output of a failed command why it failed.
func reason(out, errs []byte) string {
	return cmp.Or(failure(out), wordOf(out, "message"), shortLine(append(bytes.Clone(errs), append([]byte{' '}, out...)...)), "it says not why")
}

// isTaken reports whether the lobby refused a name because a machine has it.
func isTaken(err error) bool {
	var no *refusal
	if !errors.As(err, &no) {
		return false
	}
	text := strings.ToLower(no.text)
	for _, word := range []string{"taken", "exists", "in use"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
