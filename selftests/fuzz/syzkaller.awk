# SPDX-License-Identifier: GPL-2.0-only
# A description for syzkaller -> the calls of a C program that compares it with the headers, see
# check-syzkaller. What syzkaller would lay out is computed here, as far as the description goes.

function fail(text) {
	printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
	failed = 1
	exit 1
}

# The last of the comma-separated arguments in the outermost brackets.
function last_argument(type,    i, c, depth, from) {
	for (i = 1; i <= length(type); i++) {
		c = substr(type, i, 1)
		if (c == "[" && depth++ == 0)
			from = i + 1
		else if (c == "]" && --depth == 0)
			return trim(substr(type, from, i - from))
		else if (c == "," && depth == 1)
			from = i + 1
	}
	fail("brackets do not match in " type)
}

function first_argument(type,    text) {
	text = substr(type, index(type, "[") + 1)
	return trim(substr(text, 1, match(text, /[],]/) - 1))
}

function trim(text) {
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}

# The size of a member, as an expression in C; SIZE_ALIGN is its alignment.
function size_of(type,    size) {
	if (type ~ /^int(8|16|32|64)(\[.*)?$/) {
		sub(/^int/, "", type)
		SIZE_ALIGN = int(type) / 8
		return SIZE_ALIGN
	}
	if (type ~ /^ptr64\[/) {
		SIZE_ALIGN = 8
		return 8
	}
	if (type ~ /^(const|flags|len|bytesize)\[/)
		return size_of(last_argument(type))
	if (type ~ /^array\[/) {
		size = size_of(first_argument(type))
		if (type !~ /,/ || last_argument(type) ~ /:/)
			return 0
		return "(" size " * " last_argument(type) ")"
	}
	fail("what is the size of " type "?")
}

# Where C has the member.
function path_of(struct, name) {
	return (struct == "pmc" && name ~ /^pmcus_/ ? "pmc_pmcu.pmcu_s." : "") name
}

function constants(text,    rest) {
	for (rest = text; match(rest, /[A-Z][A-Z0-9_]+/); rest = substr(rest, RSTART + RLENGTH))
		if (!seen[substr(rest, RSTART, RLENGTH)]++)
			printf "\tconstant(\"%s\", %s);\n", substr(rest, RSTART, RLENGTH),
				substr(rest, RSTART, RLENGTH)
}

/^#/ || /^$/ || /^include / || /^resource / { next }

/^openat\$/ {
	text = $0
	sub(/string\[[^]]*\]/, "", text)
	constants(text)
	next
}

/^ioctl\$/ {
	name = $0
	sub(/^ioctl\$/, "", name)
	sub(/\(.*/, "", name)
	if (!index($0, "cmd const[" name "]"))
		fail("the request of " name " is another one")
	arg = $0
	sub(/.* arg /, "", arg)
	if (arg ~ /^const\[0\]\)$/)
		printf "\trequest(\"%s\", %s, \"none\", 0);\n", name, name
	else if (last_argument(arg) ~ /^int/)
		printf "\trequest(\"%s\", %s, \"%s\", %s);\n", name, name, first_argument(arg),
			size_of(last_argument(arg))
	else
		printf "\trequest(\"%s\", %s, \"%s\", sizeof(struct %s));\n", name, name,
			first_argument(arg), last_argument(arg)
	constants(arg)
	next
}

/^[a-z_0-9]+ = / {
	constants($0)
	next
}

/^[a-z_0-9]+ \{$/ {
	struct = $1
	printf "\tbegin(\"%s\", sizeof(struct %s));\n", struct, struct
	next
}

/^\t/ && struct {
	name = $1
	type = $0
	sub(/^\t[^ \t]+[ \t]+/, "", type)
	sub(/[ \t]*\((in|out|inout)\)$/, "", type)
	size = size_of(type)
	# A zero: it has no end, and C has no size for it.
	printf "\tmember(\"%s\", offsetof(struct %s, %s), %s, %s, %s);\n", name, struct,
		path_of(struct, name),
		size "" == "0" ? 0 : "sizeof(((struct " struct " *)0)->" path_of(struct, name) ")",
		size, SIZE_ALIGN
	constants(type)
	next
}

/^\}/ && struct {
	print "\tend();"
	struct = ""
	next
}

{ fail("what is this?") }

END { exit failed }
