// Package script runs NIT 2.0 scripts, in which a model writes several tool calls as text, and makes a model that can only write
// text one that makes native calls.
//
//	$shots = take_screenshot(count=1)
//	qq_send_text(content="看这个", images=$shots) # nothing else is in the language
//
// [Parse] reads a script and [Script.Run] runs it over any function; [Run] is both in one. Where a turn of a model is concerned
// there are two pieces, and the turn needs to know of neither. [Scripts.Toolbox] makes a toolbox of a nit.View: its tools, and [ToolName],
// which runs a script over them. [Model] wraps the model: it explains the tools in the prompt, and makes llms.ToolCalls of the
// scripts and of the <tool_call>s that it finds in the answer.
//
//	scripts, err := script.NewScripts(script.ToolOptions{})
//	model := script.Model(textOnly, script.ModelOptions{})
//	…
//	turn := persona.Turn{Model: model, Toolbox: scripts.Over(registry.View(principal))}
//
// # Grammar
//
//	script     = { statement | ";" } .
//	statement  = [ variable "=" ] [ "async" ] name "(" [ argument { "," argument } [ "," ] ] ")" .
//	argument   = name "=" value .
//	value      = string | number | variable | list | object | "true" | "false" | "null" .
//	list       = "[" [ value { "," value } [ "," ] ] "]" .
//	object     = "{" [ entry { "," entry } [ "," ] ] "}" .
//	entry      = ( string | name ) ":" value .
//	variable   = "$" [ plainname ] .
//	name       = plainname { ( "." | "-" ) plainrest } .
//	plainname  = ( LETTER | "_" ) { LETTER | NUMERIC | "_" } .
//	plainrest  = ( LETTER | NUMERIC | "_" ) { LETTER | NUMERIC | "_" } .
//	string     = '"' { CHARACTER | escape } '"' | "'" { CHARACTER | escape } "'" .
//	escape     = "\" ( "n" | "t" | "u" 4*HEX | CHARACTER ) .
//	number     = [ "-" ] DIGIT { DIGIT | "." } [ ( "e" | "E" ) [ "+" | "-" ] DIGIT { DIGIT } ] .
//	comment    = "#" … end of line .
//
// White space, in the sense of Unicode, and comments may stand between all of these, and line breaks mean nothing more. Letters and
// digits are those of all scripts. A number has one dot at most. A string may span lines; a backslash before any other character gives that character.
// "async" is no name, and words that are values are names where a name is expected.
//
// With [Options].Compatible the language is the one of the first interpreter: without ";", objects, words, signs, exponents, \u, dots and
// dashes in names, and commas before a closing bracket. Whatever that accepts means the same in both, but for
// \u, which is "u" there, and for two things that are errors otherwise: an argument that is given twice (there the last one counts) and a variable
// that no call before assigns (there it is null).
//
// # What runs
//
// A script is read as a whole, and its variables and the names of its tools are looked up, before its first call is made: a mistake anywhere
// runs nothing. Then its calls are made in order, up to the first that fails. An [*Error] says at which stage and where, and renders
// itself with the line and a caret, which is what a model needs to do better.
//
// Calls marked async run at the same time as those behind them. What uses their variable waits for them, and the script is not over before they are.
//
// # Where data came from
//
// A variable remembers the tools whose results are in it, and every [Call] says so for each of its arguments; lists, objects and results of calls
// inherit it. Since a script names its data instead of copying them, this is exact. A nit.Policy asks [CallFrom], and can refuse to
// send to a group what was read from the owner's memory, or have the owner asked, whatever the model was talked into.
//
// # Whose scripts
//
// Only a model's answer is read for calls: not what people or tools wrote, and not what the model thinks. A script begins with a tag that bears a token of the
// turn, drawn from at least 128 random bits; with another token, or none, it is text like any other. So does a <tool_call> where scripts are offered;
// where they are not, models are asked for the tag without a token that they were trained on, unless [ModelOptions].Calls is [TokenTag]. A script's end is found by following its strings and comments. A
// [Splitter] keeps all blocks from what people see, also half ones and in a stream. One that is not closed does not run; the model is told that it was
// malformed.
//
// # Time
//
// Nothing here looks at a clock. A script has as much time as its context, and each call as much as its tool.
//
// # Concurrency
//
// A Script, a Toolbox and a model from [Model] may be used concurrently, a [Splitter] may not.
//
// # Caveats
//
// What a tool gave is text in a view's scripts, also where it is a number: a tool that wants one from a variable has to take it as text,
// as a nit.ID does. There are no conditions and no loops.
package script
