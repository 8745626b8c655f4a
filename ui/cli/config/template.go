package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// CaptainTemplate returns a captain.yaml with everything that it may hold: the lines that are active set defaults, and the
// rest is commented out.
func CaptainTemplate(project, base string) []byte {
	given := map[string]string{"project.name": project, "project.baseBranch": base}
	var out strings.Builder
	out.WriteString("# How sessions of this repository go that begin with: ocaptain start\n# See: ocaptain help captain-yaml\n")
	all, last := settings(CaptainSettings()), ""
	for _, set := range all {
		section, key, nested := strings.Cut(set.Key, ".")
		if !nested {
			key = section
		}
		value := set.Default
		if given[set.Key] != "" {
			raw, _ := yaml.Marshal(given[set.Key]) // a text always marshals
			value = strings.TrimSpace(string(raw))
		}
		hash := ""
		if value == "" {
			hash = "# "
		}
		if value == "" {
			value = sampleValue(set)
		}
		if nested {
			hash += "  "
		}
		switch {
		case !nested && last != "":
			out.WriteString("\n")
			section = ""
		case !nested:
			section = ""
		case section != last:
			head := "# "
			for _, s := range all {
				if strings.HasPrefix(s.Key, section+".") && (s.Default != "" || given[s.Key] != "") {
					head = ""
				}
			}
			out.WriteString("\n" + head + section + ":\n")
		}
		last = section
		fmt.Fprintf(&out, "%-34s # %s\n", hash+key+": "+value, set.Help)
	}
	return []byte(out.String())
}
