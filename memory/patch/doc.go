// Package patch edits Markdown documents with small patches written by language models. A bot keeps notes about itself, its owner
// and past tasks in such documents. With patches the model changes single lines and does not rewrite the whole text, so it loses
// nothing by accident.
//
//	*** Begin Patch
//	@@ #### 用户画像推测
//	 **用户特征**
//	-空，还没有产生过推测。
//	+喜欢二次元与技术折腾。
//	*** End Patch
//
// [Apply] applies such a patch to a text, completely or not at all. A [History] is a document with versions and undo.
//
//	text, err := patch.Apply(doc, reply)
//	if errors.Is(err, patch.ErrConflict) {
//		// show err.Error() to the model and ask for a better patch
//	}
//
// # Grammar
//
// A patch starts with the line "*** Begin Patch" and ends with "*** End Patch". Only white space may surround it. It consists of hunks.
// A hunk starts with "@@", optionally followed by the header of its section. Each further line has a sign of one character,
// followed by a line of the document: " " for context, "-" for a removed line, "+" for an added line. A line without
// a sign is context. So a list item as context is " - item", and a removed one is "-- item".
//
// The line "*** End of File" is ignored, and so is context before the first "@@". CRLF counts as "\n". Characters are compared exactly, so
// full-width and half-width characters differ.
//
// Hunks are applied in order, each to the result of the previous ones:
//
//  1. The context and removed lines of a hunk are searched as consecutive lines in the section of its header. Without a header, or if the
//     document has no such header, the whole document is searched. The match must begin in that section and may extend beyond its end. It is
//     replaced with the context and added lines.
//  2. A hunk that only adds, and has other lines between its context lines, is placed by its context. Each run of added lines is
//     inserted right after the context before it. All context must exist, in order, with each run at one place only.
//  3. If the context of such a hunk does not exist, the added lines are appended as in 4. A line that the section has already, or
//     without a header the document, is left out, so a repeated patch changes nothing.
//     Any other hunk with context or removed lines is a [ConflictError]. So is one that would add a heading for the second time, one whose
//     header differs from a heading only in width, case, spaces or signs, and one with a missing context line without a sign,
//     because its sign may be forgotten.
//  4. A hunk with only added lines is appended to the section of its header, after its last line that is not blank. If the document
//     has no such header, header and lines are appended to the document. Without a header, the lines are appended to the document.
//
// A header matches the heading line that equals it, or the heading with that text, or otherwise any line that equals it. A section ends at the
// next heading of any level. A line that is bold as a whole is a heading of the lowest level. It ends only sections of bold lines.
//
// # Differences from the original grammar
//
// The grammar comes from a desktop companion with an implementation that loses lines. This package differs as follows:
//
//   - A removed line that does not exist is always a conflict. The original added lines by context alone and silently skipped the removal.
//   - Appended lines without a place in the document repeat no line and no heading. The original duplicated them.
//   - An added line is added even if it equals a line of the context.
//   - A hunk that matches several places is a conflict, unless the result is the same for each. The original took the first.
//   - "#tag", and "# comment" in a code block, do not end a section.
//   - The end of the document stays unchanged, including blank lines and a missing newline.
//   - These are errors: additions before the first "@@", line numbers as in other diffs, a hunk without lines, and a patch within a patch.
//   - Empty lines without a sign are ignored at both ends of a hunk. Between added lines, they are additions.
//
// # Conflicts
//
// A [ConflictError] quotes the missing line and the actual one, or lists the lines where the hunk matches. Show its text to the
// model, so that it can write a better patch.
//
// # Concurrency
//
// Apply may be called concurrently. A History must not be used concurrently.
//
// # Caveats
//
// Old versions contain deleted text. To erase private data, remove it from the document and then call [History.DropOldVersions].
package patch
