/* SPDX-License-Identifier: Apache-2.0 */
// A button at each block of code, which copies it. Blocks that show a terminal have none: they are no input.
"use strict";

const words = document.currentScript?.dataset ?? document.querySelector("script[data-copy]").dataset;

for (const block of document.querySelectorAll("pre:not(.terminal)")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = words.copy;
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(block.textContent);
            button.textContent = words.copied;
        } catch {
            // Without a right to the clipboard: the selection is one key away from it.
            getSelection().selectAllChildren(block);
        }
        setTimeout(() => { button.textContent = words.copy; }, 2000);
    });
    const frame = document.createElement("div");
    frame.className = "code";
    block.replaceWith(frame);
    frame.append(block, button);
}
