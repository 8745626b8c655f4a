package git

import "strings"

// ReadFilters parses the output of "git check-attr -z … filter" (see git-check-attr(1)): the path of a file, the
// attribute and its value, each followed by a zero byte. It returns the filter's name for each file that has a
// filter.
func ReadFilters(out []byte) map[string]string {
	all := map[string]string{}
	for fields := strings.Split(string(out), "\x00"); len(fields) > 2; fields = fields[3:] {
		if value := fields[2]; value != "unspecified" && value != "unset" && value != "set" {
			all[fields[0]] = value
		}
	}
	return all
}

// WithoutFilter returns settings that keep the filter name from running. Pass them with ConfigEnv: git -c would end
// the name at an equals sign.
func WithoutFilter(name string) [][2]string {
	filter := "filter." + name
	return [][2]string{{filter + ".clean", ""}, {filter + ".smudge", ""}, {filter + ".process", ""}, {filter + ".required", "false"}}
}

// CutKey returns section and name of a configuration key such as filter.NAME.clean. The name may contain dots.
func CutKey(key string) (section, name string, ok bool) {
	section, rest, _ := strings.Cut(key, ".")
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return "", "", false
	}
	return section, rest[:dot], true
}
