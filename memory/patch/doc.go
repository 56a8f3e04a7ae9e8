// Package patch changes Markdown documents by small patches, as models write them: what a being knows of itself, of its owner and
// of past tasks is edited line by line and never written anew, so that nothing is forgotten by accident.
//
//	*** Begin Patch
//	@@ #### 用户画像推测
//	 **用户特征**
//	-空，还没有产生过推测。
//	+喜欢二次元与技术折腾。
//	*** End Patch
//
// [Apply] applies such a patch to a text, all of it or nothing. A [History] is a document with its versions, which can be undone.
//
// # The grammar
//
// A patch starts with the line "*** Begin Patch" and ends with "*** End Patch"; nothing but white space may stand around it. Between them are hunks.
// A hunk starts with "@@" and the header under which it belongs, or "@@" alone. Each of its lines has a sign of one character and then
// the line of the document: " " for one that stays (context), "-" for one that goes, "+" for one that comes. A line without a sign is context.
// So a list item as context is " - item", and one that goes is "-- item". The line "*** End of File" means nothing. Before the first "@@"
// lines that would change nothing are skipped. Line ends of two characters count as "\n". Characters are compared as they are: full-width
// and half-width ones differ.
//
// Hunks are applied one after another, each to what those before it have made. For each:
//
//  1. Its context and removed lines are looked for, one after another, in the section of its header; in the whole document where it has no header or the
//     document has none like it. They must begin in that section and may run beyond its end. They are replaced by its context and added lines.
//  2. A hunk that only adds, and whose context is there but with other lines between, is placed by its context: each run of added lines comes right after the context before
//     it. All its context must be there, in order, each run once.
//  3. A hunk that has context or removes, and was placed by neither, is a [ConflictError].
//  4. A hunk of nothing but added lines is appended to the section of its header, after its last line that is not blank; where the document has no such header, at the end of
//     the document, under that header; without a header, at the end of the document.
//
// A header names the heading that equals it, or the heading with that text, or else any line that equals it. A section ends at the next
// heading of any level. A line that is bold as a whole counts as a heading too, below all others: it ends the sections of bold lines only.
//
// # Where it departs
//
// The grammar comes from a desktop companion whose way of applying it loses lines. Here, other than there:
//
//   - Removed lines that are not there are always a conflict. There, if the context alone was found, the addition was made and the removal silently left out.
//   - An added line that equals a line of the context is added.
//   - What fits in several places is a conflict, unless it comes to the same; there it was the first.
//   - "#tag", and "# comment" in a block of code, end no section.
//   - The end of the document stays as it is, with or without a last line end and with its blank lines.
//   - Additions before the first "@@" are an error instead of lost, and so are line numbers as of other diffs, a hunk without lines, and a second patch in the first.
//   - Empty lines without a sign count for nothing at the ends of a hunk, and as additions between lines that are all additions.
//
// # Conflicts
//
// A [ConflictError] quotes the line that is missing and what stands in its place, or tells in which lines the hunk fits equally well; its text is meant for the model, which can
// then write a better patch. Where [Options].May forbids a section, nothing of it is quoted.
//
// # Caveats
//
// Versions hold what was taken out of a document. Where something must be forgotten, call [History.DropOldVersions] after taking it out.
package patch
