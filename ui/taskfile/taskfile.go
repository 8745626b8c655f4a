// Package taskfile writes a task as a text for the captain to edit: the editable fields as YAML, then three
// dashes, then the description.
package taskfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"ocaptain/fleet/clean"
	"ocaptain/tasks"
)

// form is the part of the text before the description. A list is written with commas between its entries.
type form struct {
	Subject  string `yaml:"subject"`
	Priority string `yaml:"priority"`
	Labels   string `yaml:"labels"`
	After    string `yaml:"after"`
	Before   string `yaml:"before"`
	Check    string `yaml:"check"`
	Ship     string `yaml:"ship"`
	Agent    string `yaml:"agent"`
	Model    string `yaml:"model"`
}

// notes explain the fields, by name.
var notes = map[string]string{
	"priority": "0, the most urgent, to 4",
	"after":    "tasks that it waits for",
	"before":   "tasks that wait for it",
	"check":    "must pass before its work is merged",
	"ship":     "the only ship that is to do it; nothing for any",
	"agent":    "the only agent that is to do it; nothing for any",
	"model":    "the only model that is to do it; nothing for any",
}

const bar = "---"

// of returns the form of a task, as the captain sees it.
func of(t *tasks.State) form {
	list := func(all []string) string {
		all = slices.Clone(all)
		slices.SortFunc(all, tasks.CompareIDs)
		return strings.Join(all, ", ")
	}
	f := form{
		Subject: t.Subject, Priority: strconv.Itoa(t.Priority()), Labels: strings.Join(t.Labels(), ", "), After: list(t.BlockedBy), Before: list(t.Blocks),
		Check: t.Verify(), Ship: cmp.Or(t.OnlyShip(), t.Worker()), Agent: t.OnlyAgent(), Model: t.OnlyModel(),
	}
	for _, field := range f.fields() {
		*field.value = strings.TrimSpace(clean.Line(*field.value))
	}
	return f
}

// described returns the description of a task, as the captain sees it.
func described(t *tasks.State) string { return strings.TrimRight(clean.Text(t.Description), "\n") }

// Text returns the text of a task, without control characters from agents.
func Text(t *tasks.State) []byte {
	f := of(t)
	var b strings.Builder
	fmt.Fprintf(&b, "# Task %s. Save to change it; leave it as it is to change nothing.\n", clean.Line(t.ID))
	for _, field := range f.fields() {
		value := ""
		if *field.value != "" {
			value = " " + quoted(*field.value)
		}
		note := ""
		if n := notes[field.name]; n != "" {
			note = "  # " + n
		}
		fmt.Fprintf(&b, "%s:%s%s\n", field.name, value, note)
	}
	fmt.Fprintf(&b, "%s\n%s\n", bar, described(t))
	return []byte(b.String())
}

type field struct {
	name  string
	value *string
}

func (f *form) fields() []field {
	return []field{
		{"subject", &f.Subject},
		{"priority", &f.Priority},
		{"labels", &f.Labels},
		{"after", &f.After},
		{"before", &f.Before},
		{"check", &f.Check},
		{"ship", &f.Ship},
		{"agent", &f.Agent},
		{"model", &f.Model},
	}
}

// quoted returns a text in YAML that reads back as the same text.
func quoted(text string) string {
	var f form
	if err := yaml.Unmarshal([]byte("subject: "+text+"  # note\n"), &f); err == nil && f.Subject == text {
		return text
	}
	return strconv.Quote(text)
}

// MaxText bounds a text, in bytes.
const MaxText = 512 << 10

// Parse reads an edited text, and returns how it changes the task, nil for no change. An error names the line
// or the field.
func Parse(text []byte, t *tasks.State) (*tasks.Edit, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("the text has more than %d bytes: shorten it", MaxText)
	}
	head, description, ok := bytes.Cut(append([]byte("\n"), bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))...), []byte("\n"+bar+"\n"))
	if !ok {
		return nil, fmt.Errorf("there is no line %s: put it back between the fields and the description", bar)
	}
	var f form
	if err := yaml.UnmarshalWithOptions(bytes.TrimPrefix(head, []byte("\n")), &f, yaml.Strict()); err != nil {
		var bad yaml.Error
		if errors.As(err, &bad) && bad.GetToken() != nil {
			return nil, fmt.Errorf("line %d: %s", bad.GetToken().Position.Line, bad.GetMessage())
		}
		return nil, err
	}
	return f.edit(t, strings.TrimRight(string(description), "\n"))
}

// edit returns how a form changes the task.
func (f *form) edit(t *tasks.State, description string) (*tasks.Edit, error) {
	was := of(t)
	e := tasks.Edit{Task: t.ID}
	if f.Subject = strings.TrimSpace(f.Subject); f.Subject == "" {
		return nil, errors.New("subject is empty: a task needs a subject")
	} else if f.Subject != was.Subject {
		e.Subject = f.Subject
	}
	if description != described(t) {
		if e.Description = description; strings.TrimSpace(description) == "" {
			return nil, errors.New("the description is empty: write what is to be done")
		}
	}
	if p, err := strconv.Atoi(f.Priority); err != nil || p < 0 || p >= tasks.Priorities {
		return nil, fmt.Errorf("priority is %q: give a number from 0, the most urgent, to %d", clean.Line(f.Priority), tasks.Priorities-1)
	} else if f.Priority != was.Priority {
		e.Priority = &p
	}
	if labels := List(f.Labels); !slices.Equal(labels, List(was.Labels)) {
		e.Labels = &labels
	}
	e.BlockedBy, e.UnblockedBy = change(t.BlockedBy, List(f.After))
	e.Blocks, e.Unblocks = change(t.Blocks, List(f.Before))
	for _, is := range []struct {
		text, was string
		set       **string
	}{{f.Check, was.Check, &e.Verify}, {f.Ship, was.Ship, &e.Ship}, {f.Agent, was.Agent, &e.Agent}, {f.Model, was.Model, &e.Model}} {
		if text := strings.TrimSpace(is.text); text != is.was {
			*is.set = &text
		}
	}
	if e.IsNothing() {
		return nil, nil
	}
	return &e, e.Check()
}

// change returns what to add to the list was, and what to drop, to get is.
func change(was, is []string) (add, drop []string) {
	return without(is, was), without(was, is)
}

// without returns the entries of all that are not in others, nil for none.
func without(all, others []string) (left []string) {
	for _, id := range all {
		if !slices.Contains(others, id) && !slices.Contains(left, id) {
			left = append(left, id)
		}
	}
	return left
}

// List reads entries separated by commas.
func List(text string) (all []string) {
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			all = append(all, entry)
		}
	}
	return all
}
