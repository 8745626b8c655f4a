package git

import "strings"

// ReadFilters reads what "git check-attr -z … filter" prints, as gitattributes(5) and git-check-attr(1) tell: the path of a file, the
// attribute and its value, each with a zero byte at its end. It returns the name of the filter of each file that has one.
func ReadFilters(out []byte) map[string]string {
	all := map[string]string{}
	for fields := strings.Split(string(out), "\x00"); len(fields) > 2; fields = fields[3:] {
		if value := fields[2]; value != "unspecified" && value != "unset" && value != "set" {
			all[fields[0]] = value
		}
	}
	return all
}

// WithoutFilter returns the configuration under which the filter of that name does not run. Pass it by ConfigEnv: git's -c takes
// an equals sign in the name for its end.
func WithoutFilter(name string) [][2]string {
	filter := "filter." + name
	return [][2]string{{filter + ".clean", ""}, {filter + ".smudge", ""}, {filter + ".process", ""}, {filter + ".required", "false"}}
}

// CutKey cuts a key of the configuration, such as filter.NAME.clean, into its section and the name. The name may hold dots.
func CutKey(key string) (section, name string, ok bool) {
	section, rest, _ := strings.Cut(key, ".")
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return "", "", false
	}
	return section, rest[:dot], true
}
