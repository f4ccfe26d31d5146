# SPDX-License-Identifier: Apache-2.0
# The report's page as it was bundled: string literals of its length are no C++.
  .section .rodata
  .global jcprof_page_html, jcprof_page_html_end
  .global jcprof_page_style, jcprof_page_style_end
  .global jcprof_page_script, jcprof_page_script_end

jcprof_page_html:
  .incbin JCPROF_PAGE_HTML
jcprof_page_html_end:

jcprof_page_style:
  .incbin JCPROF_PAGE_STYLE
jcprof_page_style_end:

jcprof_page_script:
  .incbin JCPROF_PAGE_SCRIPT
jcprof_page_script_end:

  .section .note.GNU-stack, "", %progbits
