package planfile

import (
	"strings"
	"testing"

	"ocaptain/tasks"
)

func TestDefects(t *testing.T) {
	for name, c := range map[string]struct {
		change map[string]string // files to write; "-" removes a file
		want   []string
	}{
		"nothing there": {
			map[string]string{"voyage.json": "-", "spec.md": "-", "verify.sh": "-", "tasks/1.json": "-", "tasks/2.json": "-"},
			[]string{"spec.md: error: is missing", "tasks: error: does not exist", "verify.sh: error: is missing", "voyage.json: error: is missing"},
		},
		"no tasks": {
			map[string]string{"tasks/1.json": "-", "tasks/2.json": "-", "tasks/.hidden.json": "{"},
			[]string{"tasks: error: holds no tasks", "voyage.json:1:55: total_tasks: warning: is 2, but tasks holds 0"},
		},
		"cycle": {
			map[string]string{
				"tasks/1.json": "{\n  \"id\": \"1\", \"subject\": \"one\", \"description\": \"d\",\n  \"blockedBy\": [\"3\"]\n}",
				"tasks/3.json": `{"id": "3", "subject": "three", "description": "d", "blockedBy": ["1"]}`,
			},
			[]string{
				"voyage.json:1:55: total_tasks: warning: is 2, but tasks holds 3",
				"tasks/1.json:3:16: blockedBy: error: tasks wait for each other: 1 → 3 → 1",
			},
		},
		"cycle closed by blocks": {
			map[string]string{"tasks/2.json": `{"id": "2", "subject": "two", "description": "d", "blocks": ["1"]}`},
			[]string{"tasks/2.json:1:61: blocks: error: tasks wait for each other: 1 → 2 → 1"},
		},
		"waits for itself": {
			map[string]string{"tasks/2.json": `{"id": "2", "subject": "two", "description": "d", "blockedBy": ["2"]}`},
			[]string{"tasks/2.json:1:64: blockedBy: error: task 2 waits for itself"},
		},
		"dangling": {
			map[string]string{"tasks/2.json": `{"id": "2", "subject": "two", "description": "d", "blockedBy": ["1", "9", "9"], "blocks": ["8"]}`},
			[]string{
				`tasks/2.json:1:64: blockedBy: error: there is no task "9"`,
				`tasks/2.json:1:91: blocks: error: there is no task "8"`,
			},
		},
		"duplicate id": {
			map[string]string{"tasks/2.json": `{"id": "1", "subject": "two", "description": "d"}`},
			[]string{
				`tasks/1.json:1:66: blocks: error: there is no task "2"`,
				`tasks/2.json:1:8: id: error: "1" is also the id in tasks/1.json`,
			},
		},
		"ids that differ in case": {
			map[string]string{"tasks/1.json": `{"id": "a", "subject": "a", "description": "d"}`, "tasks/2.json": `{"id": "A", "subject": "A", "description": "d"}`},
			[]string{
				`tasks/1.json:1:8: id: warning: "a" is not what the file is called`,
				`tasks/2.json:1:8: id: error: "A" differs from "a" in tasks/1.json in case only, which not every file system keeps apart`,
				`tasks/2.json:1:8: id: warning: "A" is not what the file is called`,
			},
		},
		"ids that cannot be": {
			map[string]string{
				"tasks/1.json": `{"id": "../1", "subject": "one", "description": "d"}`,
				"tasks/2.json": `{"subject": "two", "description": "d"}`,
				"tasks/3.json": `{"id": 3, "subject": "three", "description": "d"}`,
				"tasks/4.json": `{"id": "keep", "subject": "four", "description": "d"}`,
				"tasks/6.json": `{"id": null, "subject": "six", "description": "d"}`,
				"tasks/5.json": `{"id": "", "subject": "five", "description": "d", "blockedBy": ["3"]}`,
				"voyage.json":  `{"repo": "none"}`,
			},
			[]string{
				`tasks/1.json:1:8: id: error: "../1" cannot be an id`,
				`tasks/2.json: id: error: is missing`,
				`tasks/3.json:1:8: id: error: is a number`,
				`tasks/4.json:1:8: id: error: "keep" is a reserved id`,
				`tasks/5.json:1:8: id: error: is missing`,
				`tasks/6.json:1:8: id: error: is missing`,
			},
		},
		"unreadable JSON": {
			map[string]string{
				"tasks/1.json": "{\n  \"id\": \"1\",\n  \"subject\": \"one\"\n  \"description\": \"d\"\n}",
				"tasks/2.json": `{"id": "2", "subject": "two"`,
				"tasks/3.json": "  \n",
				"tasks/4.json": `["4"]`,
				"tasks/5.json": `{"id": "5"} x`,
				"voyage.json":  `null`,
			},
			[]string{
				`voyage.json: error: is null, not an object`,
				`tasks/1.json:4:3: error: unreadable JSON: invalid character '"' after object key:value pair`,
				`tasks/2.json:1:28: error: unreadable JSON: unexpected end of JSON input`,
				`tasks/3.json:1:3: error: unreadable JSON: the file is empty`,
				`tasks/4.json: error: is a list, not an object`,
				`tasks/5.json:1:13: error: unreadable JSON: invalid character 'x' after top-level value`,
			},
		},
		"wrong types": {
			map[string]string{
				"tasks/1.json": `{"id": "1", "subject": 5, "description": [], "blocks": "2", "blockedBy": [2], "metadata": "m", "owner": {}, "status": 1, "activeForm": true}`,
				"voyage.json":  `{"name": 1, "repo": {}, "recommended_ships": "3", "max_parallel_width": 1.5, "total_tasks": -1, "created": 2026, "verify": {"fix": "x"}, "bring": [1], "sync": "both"}`,
			},
			[]string{
				"voyage.json:1:10: name: error: is a number",
				"voyage.json:1:21: repo: error: is an object",
				"voyage.json:1:46: recommended_ships: error: is a string",
				"voyage.json:1:73: max_parallel_width: error: is 1.5",
				"voyage.json:1:93: total_tasks: error: is -1",
				"voyage.json:1:108: created: error: is a number",
				"voyage.json:1:124: verify.fix: error: is not a whole number",
				"voyage.json:1:147: bring: error: holds a value of type number",
				"voyage.json:1:160: sync: error: is neither git nor live",
				"tasks/1.json:1:24: subject: error: is a number",
				"tasks/1.json:1:42: description: error: is a list",
				"tasks/1.json:1:56: blocks: error: is a string",
				"tasks/1.json:1:74: blockedBy: error: holds a value of type number",
				"tasks/1.json:1:91: metadata: error: is a string",
				"tasks/1.json:1:105: owner: error: is an object",
				"tasks/1.json:1:119: status: error: is a number",
				"tasks/1.json:1:136: activeForm: error: is true or false",
			},
		},
		"artifacts outside": {
			map[string]string{"voyage.json": `{"name": "a", "repo": "none", "artifacts": ["out", "../up"]}`},
			[]string{`voyage.json:1:44: artifacts: error: "../up" is no directory of the repository`},
		},
		"artifacts in others": {
			map[string]string{"voyage.json": `{"name": "a", "repo": "none", "artifacts": ["out", "out/a"]}`},
			[]string{`voyage.json:1:44: artifacts: error: "out/a" is in another one, or has one in it`},
		},
		"words": {
			map[string]string{
				"tasks/1.json": `{"id": "1", "subject": " ", "status": "done", "owner": "ship-1"}`,
				"tasks/2.json": `{"id": "2", "subject": "a\nb", "status": "completed", "description": "d", "blocked_by": ["1"], "id": "2"}`,
			},
			[]string{
				"tasks/1.json: description: warning: is missing; an agent has only the subject to go by",
				"tasks/1.json:1:24: subject: error: is missing",
				`tasks/1.json:1:39: status: error: "done" is not a status`,
				"tasks/1.json:1:56: owner: warning: has no effect in a plan",
				"tasks/2.json:1:24: subject: error: has line breaks or control characters",
				`tasks/2.json:1:42: status: error: is "completed", but nothing has been done when a voyage starts`,
				"tasks/2.json:1:89: blocked_by: warning: is not a known field and has no effect",
				"tasks/2.json:1:102: id: warning: is there twice; the last one counts",
			},
		},
		"metadata": {
			map[string]string{
				"tasks/1.json": `{"id": "1", "subject": "one", "blocks": ["2"], "metadata": {"run": ["x"], "verify": " ", "group": 1, "priority": 9, "estimate": "5", "_internal": 1, "ocaptain": 1}}`,
				"tasks/2.json": `{"id": "2", "subject": "two", "metadata": {"run": "true \u0000", "group": "alone", "free": "` + strings.Repeat("x", tasks.MaxMetadata) + `"}}`,
			},
			[]string{
				"tasks/1.json: description: warning: is missing; an agent has only the subject to go by",
				"tasks/1.json:1:60: metadata._internal: error: hides the task from every agent, so that nobody does it",
				"tasks/1.json:1:60: metadata.estimate: warning: is not a time and is not counted as it stands",
				"tasks/1.json:1:60: metadata.group: error: is not a string with something in it",
				"tasks/1.json:1:60: metadata.ocaptain: warning: is kept for ocaptain and has no effect in a plan",
				"tasks/1.json:1:60: metadata.priority: error: is not a priority",
				"tasks/1.json:1:60: metadata.run: error: is not a string with something in it",
				"tasks/1.json:1:60: metadata.verify: error: is not a string with something in it",
				"tasks/2.json:1:43: metadata: error: has 65588 bytes, more than 65536",
				`tasks/2.json:1:43: metadata.group: warning: group "alone" has only this task`,
				"tasks/2.json:1:43: metadata.run: error: has a NUL character",
			},
		},
		"group with others between": {
			map[string]string{
				"tasks/1.json": `{"id": "1", "subject": "one", "description": "d", "metadata": {"group": "g"}}`,
				"tasks/2.json": `{"id": "2", "subject": "two", "description": "d", "blockedBy": ["1"]}`,
				"tasks/3.json": `{"id": "3", "subject": "three", "description": "d", "blockedBy": ["2"], "metadata": {"group": "g"}}`,
				"voyage.json":  `{"repo": "none"}`,
			},
			[]string{`tasks/1.json:1:63: metadata.group: warning: group "g" is held while others work: 1 → 2 → … → 3`},
		},
		"no objective": {
			map[string]string{"spec.md": "## Scope\n\nSmall.\n"},
			[]string{"spec.md: objective: error: has no objective"},
		},
		"not UTF-8": {
			map[string]string{"spec.md": "# A\n\nb\xff\n", "tasks/1.json": "{\"id\": \"1\xc3\x28\"}"},
			[]string{"spec.md:3:2: error: is not UTF-8 text", "tasks/1.json:1:10: error: is not UTF-8 text"},
		},
		"byte order mark": {
			map[string]string{"spec.md": "\xef\xbb\xbf# A\n", "tasks/2.json": "\xef\xbb\xbf" + good()["tasks/2.json"]},
			nil,
		},
		"too large": {
			map[string]string{"tasks/1.json": strings.Repeat(" ", maxJSON+1), "spec.md": strings.Repeat("#", maxSpec+1)},
			[]string{"spec.md: error: has 4194305 bytes, more than 4194304", "tasks/1.json: error: has 1048577 bytes, more than 1048576"},
		},
		"verify.sh does not parse": {
			map[string]string{"verify.sh": "#!/usr/bin/env bash\nset -e\nif true; then\n  echo 'a\nfi\n"},
			[]string{"verify.sh:4:1: error: does not parse: unexpected EOF while looking for matching `''"},
		},
		"verify.sh is for another interpreter": {
			map[string]string{"verify.sh": "#!/usr/bin/env python3\nif True: print('(')\n"},
			nil,
		},
		"verify.sh from Windows": {
			map[string]string{"verify.sh": "#!/bin/bash\r\ntrue\r\n"},
			[]string{"verify.sh:1:1: error: has Windows line endings, which no shell runs"},
		},
		"verify.sh checks nothing": {
			map[string]string{"verify.sh": "#!/bin/bash\n\n# TODO\n"},
			[]string{"verify.sh: warning: has no commands, so it checks nothing"},
		},
		"numbers that disagree": {
			map[string]string{"voyage.json": `{"repo": "none", "recommended_ships": 4, "max_parallel_width": 3, "total_tasks": 7}`},
			[]string{
				"voyage.json:1:39: recommended_ships: warning: is 4, but at most 1 can have work at once",
				"voyage.json:1:64: max_parallel_width: warning: is 3, but the fullest level has 1",
				"voyage.json:1:82: total_tasks: warning: is 7, but tasks holds 2",
			},
		},
		"repository": {
			map[string]string{"voyage.json": `{"repo": "ext::sh -c x"}`},
			[]string{"voyage.json:1:10: repo: error: repository uses a git transport helper (name::address), which runs commands"},
		},
		"repository that is not there": {
			map[string]string{"voyage.json": `{"repo": "/nowhere/at/all"}`},
			[]string{`voyage.json:1:10: repo: error: "/nowhere/at/all" does not exist`},
		},
		"repository that is a file": {
			map[string]string{"voyage.json": `{"repo": "/dev/null"}`},
			[]string{`voyage.json:1:10: repo: error: "/dev/null" is not a directory`},
		},
		"no repository": {
			map[string]string{"voyage.json": `{}`},
			[]string{"voyage.json: repo: warning: is missing, so the voyage starts from a fresh repository"},
		},
		"control characters": {
			map[string]string{"voyage.json": "{\"name\": \"a\\u001bb\", \"repo\": \"none\"}", "tasks/2.json": `{"id": "2", "subject": "two", "description": "d", "status": "\u001b[2J", "sub\u0007\u001bject": 1}`, "tasks/\x1b.json": "{"},
			[]string{
				"voyage.json:1:10: name: error: has line breaks or control characters",
				`tasks/2.json:1:61: status: error: "\x1b[2J" is not a status`,
				"tasks/\x1b.json:1:1: error: unreadable JSON: unexpected end of JSON input",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := good()
			for file, text := range c.change {
				if files[file] = text; text == "-" {
					delete(files, file)
				}
			}
			plan, defects := Open(write(t, files))
			var got []string
			for _, d := range defects {
				got = append(got, d.String())
				if d.Fix == "" {
					t.Errorf("%s: no fix is told", d)
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if plan == nil || plan.Graph == nil {
				t.Error("there is no plan")
			}
			if wrong := strings.Contains(strings.Join(c.want, "\n"), ": error: "); (defects.Err() != nil) != wrong {
				t.Errorf("error %v", defects.Err())
			}
		})
	}
}
